// The fields of config.json as the repositories of known pairs publish them: a tiny network of each, with its sizes
// reduced and every other field kept, loads and decodes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { knownPairs } from '../../server/hub/knownPairs';
import { loadTarget } from '../../server/models/registry';
import { cpu } from '../support/cpu';
import { LLAMA, QWEN2, QWEN3, QWEN3_5, QWEN3_MOE, QWEN3_NEXT, readCheckpoint } from '../support/fixtures';
import { writeCheckpoint, type Checkpoint } from '../support/tinyCheckpoint';
import { runInChunks } from '../support/tokenRun';

type Fields = Readonly<Record<string, unknown>>;

const PUBLISHED = JSON.parse(readFileSync('test/fixtures/publishedConfigs.json', 'utf8')) as Record<
  string,
  Fields
>;

/** Tiny weights of the same family. */
const FIXTURES: Readonly<Record<string, string>> = {
  llama: LLAMA,
  qwen2: QWEN2,
  qwen3: QWEN3,
  qwen3_5: QWEN3_5,
  qwen3_moe: QWEN3_MOE,
  qwen3_next: QWEN3_NEXT,
};
/** Widths, counts, and which layers are of which kind. */
const SIZES = /^((num|linear)_.*|.*_size|head_dim|layer_types|mlp_only_layers|decoder_sparse_step)$/;

/** The published fields, in which all sizes are those of the tiny weights. */
function reduced(published: Fields, tiny: Fields): Fields {
  const sizes = Object.entries(tiny).filter(([name]) => SIZES.test(name));
  const shared = 'shared_expert_intermediate_size';
  return {
    ...published,
    ...Object.fromEntries(sizes),
    num_experts: tiny['num_experts'] ?? tiny['num_local_experts'],
    num_local_experts: undefined,
    // A size that says that there is no such expert.
    ...(published[shared] === 0 && { [shared]: 0 }),
  };
}

function tinyNetwork(published: Fields): Checkpoint {
  const { config, tensors } = readCheckpoint(FIXTURES[String(published['model_type'])] ?? assert.fail());
  const text = published['text_config'] as Fields | undefined;
  const head = tensors['lm_head.weight'] ?? tensors['model.embed_tokens.weight'] ?? assert.fail();
  const isTied = (text ?? published)['tie_word_embeddings'] === true;
  const named = Object.entries({ ...tensors, ...(!isTied && { 'lm_head.weight': head }) })
    .filter(
      ([name]) =>
        !(isTied && name === 'lm_head.weight') &&
        !(published['model_type'] === 'llama' && name.endsWith('.bias')),
    )
    .map(
      ([name, tensor]) => [text ? name.replace(/^model\./, 'model.language_model.') : name, tensor] as const,
    );
  return {
    config: text ? { ...published, text_config: reduced(text, config) } : reduced(published, config),
    tensors: Object.fromEntries(named),
  };
}

describe('the published config.json', () => {
  for (const [repository, published] of Object.entries(PUBLISHED))
    it(`of ${repository} loads as a tiny network, which decodes`, async () => {
      assert.ok(knownPairs.some(({ target }) => target.repository === repository));
      const notes: string[] = [];
      const onNote = (line: string) => notes.push(line);
      const target = await loadTarget(writeCheckpoint(tinyNetwork(published)), cpu, undefined, onNote);
      const { logits } = runInChunks(target, [7, 3, 200, 41, 5], [4, 1]);
      const { maxPositionEmbeddings, eosTokenIds } = target.config;
      target.dispose();
      assert.ok(logits.every(Number.isFinite));
      assert.deepEqual(notes, []);
      const text = (published['text_config'] ?? published) as Fields;
      assert.equal(maxPositionEmbeddings, text['max_position_embeddings']);
      assert.deepEqual(eosTokenIds, [text['eos_token_id']].flat());
    });

  it('is told of in the log where a field of it is not known', async () => {
    for (const [repository, inside] of [
      ['Qwen/Qwen3-4B', false],
      ['Qwen/Qwen3.6-27B', true],
    ] as const) {
      const { config, tensors } = tinyNetwork(PUBLISHED[repository] ?? assert.fail());
      const text = { ...(config['text_config'] as Fields | undefined), attention_sinks: 4 };
      const other = inside ? { ...config, text_config: text } : { ...config, attention_sinks: 4 };
      const notes: string[] = [];
      const folder = writeCheckpoint({ config: other, tensors });
      (await loadTarget(folder, cpu, undefined, (line) => notes.push(line))).dispose();
      assert.equal(notes.length, 1);
      assert.match(notes[0] ?? '', /does not know: attention_sinks$/);
    }
  });
});
