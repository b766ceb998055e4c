// Tests the published config.json of every known target for completion, except the list of layer types: a tiny network
// with reduced sizes and all other fields must load and decode.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { knownPairs } from '../../../server/hub/knownPairs';
import { sizesOfConfig } from '../../../server/models/checkpoint/modelSizes';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { loadTarget } from '../../support/loadModels';
import { testDevice } from '../../support/testDevice';
import {
  GEMMA4,
  LLAMA,
  MELLUM,
  QWEN2,
  QWEN3,
  QWEN3_5,
  QWEN3_MOE,
  QWEN3_NEXT,
  readCheckpoint,
} from '../../support/fixtures';
import { writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';
import { runInChunks } from '../../support/tokenRun';

type Fields = Readonly<Record<string, unknown>>;

const PUBLISHED = JSON.parse(readFileSync('test/fixtures/publishedConfigs.json', 'utf8')) as Readonly<
  Record<string, Fields>
>;

/** Folders of tiny weights, by the family of the published model. */
const FIXTURES: Readonly<Record<string, string>> = {
  gemma4_unified: GEMMA4,
  llama: LLAMA,
  mellum: MELLUM,
  qwen2: QWEN2,
  qwen3: QWEN3,
  qwen3_5: QWEN3_5,
  qwen3_5_moe: QWEN3_5,
  qwen3_moe: QWEN3_MOE,
  qwen3_next: QWEN3_NEXT,
};
/** Names of the fields with widths, counts, and kinds of layers. */
const SIZES =
  /^((num|linear)_.*|.*_size(_per_layer_input)?|(global_)?head_dim|layer_types|mlp_layer_types|mlp_only_layers|decoder_sparse_step)$/;
/** Distance between full layers, by family. */
const FULL_LAYER_INTERVALS: Readonly<Record<string, number>> = {
  qwen3_5: 4,
  qwen3_5_moe: 4,
  gemma4_unified: 6,
  mellum: 4,
};

/**
 * Returns all fields except the list of layer types. A repository that names another as `like` takes over its fields.
 */
function publishedFields(repository: string): Fields {
  const { like, ...overrides } = PUBLISHED[repository] ?? {};
  if (typeof like !== 'string') return overrides;
  const common = publishedFields(like);
  const text = {
    ...(common['text_config'] as Fields | undefined),
    ...(overrides['text_config'] as Fields | undefined),
  };
  return { ...common, ...overrides, ...(Object.keys(text).length > 0 && { text_config: text }) };
}

/** Returns all fields, with the list of layer types. */
function publishedConfig(repository: string): Fields {
  const fields = publishedFields(repository);
  const interval = FULL_LAYER_INTERVALS[String(fields['model_type'])];
  if (interval === undefined) return fields;
  const text = fields['text_config'] as Fields | undefined;
  const otherType = text && interval === 4 ? 'linear_attention' : 'sliding_attention';
  const layer_types = Array.from({ length: Number((text ?? fields)['num_hidden_layers']) }, (_, i) =>
    (i + 1) % interval === 0 ? 'full_attention' : otherType,
  );
  return text ? { ...fields, text_config: { ...text, layer_types } } : { ...fields, layer_types };
}

/** Returns tiny weights for a model type. Qwen3.5 with experts takes its experts from the Qwen3-Next fixture. */
function tinyWeights(modelType: string): Checkpoint {
  const { config, tensors } = readCheckpoint(FIXTURES[modelType] ?? assert.fail(modelType));
  if (modelType === 'gemma4_unified') {
    const heads = { global_head_dim: 32, num_global_key_value_heads: 1 };
    return { config: { ...config, ...heads }, tensors };
  }
  if (modelType !== 'qwen3_5_moe') return { config, tensors };
  const experts = readCheckpoint(QWEN3_NEXT);
  const isMlp = ([name]: readonly [string, unknown]) => name.includes('.mlp.');
  return {
    config: { ...experts.config, ...config },
    tensors: Object.fromEntries([
      ...Object.entries(tensors).filter((entry) => !isMlp(entry)),
      ...Object.entries(experts.tensors).filter(isMlp),
    ]),
  };
}

/** Replaces all sizes by those of the tiny weights, except 0 and null, by which a config omits a part. */
function withSizes(published: Fields, tiny: Fields): Fields {
  const sizes: Fields = { ...tiny, num_experts: tiny['num_experts'] ?? tiny['num_local_experts'] };
  const names = Object.keys(published).filter(
    (name) => SIZES.test(name) && name in sizes && ![0, null].includes(published[name] as null),
  );
  return { ...published, ...Object.fromEntries(names.map((name) => [name, sizes[name]])) };
}

function tinyNetwork(published: Fields): Checkpoint {
  const { config, tensors } = tinyWeights(String(published['model_type']));
  const text = published['text_config'] as Fields | undefined;
  const head = tensors['lm_head.weight'] ?? tensors['model.embed_tokens.weight'] ?? assert.fail();
  const isTied = (published['tie_word_embeddings'] ?? text?.['tie_word_embeddings']) === true;
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
    config: text ? { ...published, text_config: withSizes(text, config) } : withSizes(published, config),
    tensors: Object.fromEntries(named),
  };
}

/** All pairs except those for next edits, whose models have the shapes of Qwen2.5-Coder and Llama 3. */
const COMPLETING = knownPairs.filter(({ isNextEdit }) => !isNextEdit);

describe('loadTarget with published configs', () => {
  it('is tested for every known target for completion', () => {
    assert.deepEqual(Object.keys(PUBLISHED).sort(), COMPLETING.map(({ target }) => target.repository).sort());
  });

  for (const { target: listed, contextTokens, modelType } of COMPLETING)
    it(`loads and decodes a tiny network: ${listed.repository}`, async () => {
      const published = publishedConfig(listed.repository);
      const notes: string[] = [];
      const onNote = (line: string) => notes.push(line);
      const target = await loadTarget(writeCheckpoint(tinyNetwork(published)), testDevice, { onNote });
      const { logits } = runInChunks(target, [7, 3, 200, 41, 5], [4, 1]);
      const { maxPositionEmbeddings, eosTokenIds } = target.config;
      target.dispose();
      assert.ok(logits.every(Number.isFinite));
      assert.deepEqual(notes, []);
      const text = (published['text_config'] ?? published) as Fields;
      assert.equal(maxPositionEmbeddings, text['max_position_embeddings']);
      assert.deepEqual(eosTokenIds, [text['eos_token_id']].flat());
      // The catalogue's numbers must follow from the published config.
      assert.deepEqual([contextTokens, modelType], [maxPositionEmbeddings, published['model_type']]);
      const { cacheBytesPerToken, window } =
        sizesOfConfig(new ConfigFields('config.json', published), []) ?? {};
      assert.deepEqual(
        { cacheBytesPerToken, window },
        { cacheBytesPerToken: listed.cacheBytesPerToken, window: listed.window },
      );
    });

  it('logs an unknown field of a config.json', async () => {
    for (const [repository, isInTextConfig] of [
      ['Qwen/Qwen3-4B', false],
      ['Qwen/Qwen3.6-27B', true],
    ] as const) {
      const { config, tensors } = tinyNetwork(publishedConfig(repository));
      const text = { ...(config['text_config'] as Fields | undefined), attention_sinks: 4 };
      const changed = isInTextConfig ? { ...config, text_config: text } : { ...config, attention_sinks: 4 };
      const notes: string[] = [];
      const folder = writeCheckpoint({ config: changed, tensors });
      (await loadTarget(folder, testDevice, { onNote: (line) => notes.push(line) })).dispose();
      assert.equal(notes.length, 1);
      assert.match(notes[0] ?? '', /does not know: attention_sinks$/);
    }
  });
});
