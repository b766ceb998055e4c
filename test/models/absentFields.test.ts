// What published config.json files write where there is nothing to say: 0, null, false, or nothing at all. Each is read
// as the usual value of its family, and the network that loads answers as the one that says everything.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import { endTokenIds, loadTokenizer } from '../../server/models/text/tokenizer';
import { loadTarget } from '../../server/models/families/registry';
import { parseGemma2Config, parseGemma3Config, parseGemmaConfig } from '../../server/models/families/gemma';
import { parseGemma4Config } from '../../server/models/families/gemma4';
import { parseLlamaConfig } from '../../server/models/families/llama';
import { parseMistralConfig } from '../../server/models/families/mistral';
import { parseQwen3Config, parseQwen3MoeConfig } from '../../server/models/families/qwen';
import { cpu } from '../support/cpu';
import {
  GEMMA2,
  GEMMA3,
  LLAMA,
  MISTRAL,
  PAIR_TARGET,
  QWEN2,
  QWEN3,
  QWEN3_5,
  QWEN3_MOE,
  QWEN3_NEXT,
} from '../support/fixtures';
import { GEMMA, GEMMA4, readCheckpoint } from '../support/fixtures';
import { parseFixture } from '../support/gemmaConfig';
import { assertRefused } from '../support/refusal';
import { temporaryFolder } from '../support/temporaryFolder';
import { withConfig, writeCheckpoint, writeJson, type Checkpoint } from '../support/tinyCheckpoint';
import { runWhole } from '../support/tokenRun';

type Entries = Readonly<Record<string, unknown>>;

const IDS = [7, 3, 90, 41, 5, 88, 17];
/** How files say that there is none of something. */
const NONE = [undefined, null, false, 0];

async function run(folder: string) {
  const target = await loadTarget(folder, cpu);
  const { logits } = runWhole(target, IDS);
  target.dispose();
  return { logits, config: target.config };
}

const logitsOf = async (checkpoint: Checkpoint) => (await run(writeCheckpoint(checkpoint))).logits;

/** The same fixture with other entries answers alike. */
async function assertAlike(directory: string, entries: Entries, usual: Entries = {}): Promise<void> {
  const checkpoint = readCheckpoint(directory);
  const expected = await logitsOf(withConfig(checkpoint, usual));
  assert.deepEqual(await logitsOf(withConfig(checkpoint, entries)), expected, JSON.stringify(entries));
}

describe('a config.json', () => {
  for (const [directory, fields] of [
    [
      QWEN3_MOE,
      ['shared_expert_intermediate_size', 'rope_scaling', 'sliding_window', 'quantization', 'layer_types'],
    ],
    [QWEN2, ['sliding_window', 'use_sliding_window', 'rope_scaling', 'quantization_config']],
    [MISTRAL, ['sliding_window']],
    [GEMMA3, ['attn_logit_softcapping', 'final_logit_softcapping', 'use_bidirectional_attention']],
    [GEMMA4, ['attn_logit_softcapping', 'num_kv_shared_layers', 'use_bidirectional_attention']],
  ] as const)
    for (const field of fields)
      it(`may say in any way that there is no ${field} in ${directory}`, async () => {
        const values = field === 'layer_types' || field === 'num_kv_shared_layers' ? [undefined, null] : NONE;
        for (const value of values) await assertAlike(directory, { [field]: value });
      });

  it('may say in any way that there are no caps or experts', async () => {
    const caps = ['attn_logit_softcapping', 'final_logit_softcapping'];
    for (const none of [null, false, 0])
      await assertAlike(
        GEMMA2,
        Object.fromEntries(caps.map((name) => [name, none])),
        Object.fromEntries(caps.map((name) => [name, null])),
      );
    for (const none of NONE) await assertAlike(QWEN3_5, { num_experts: none, num_local_experts: none });
  });

  for (const [name, directory, positions] of [
    ['Llama', LLAMA, 2048],
    ['Mistral', MISTRAL, 131072],
    ['Qwen2', QWEN2, 32768],
    ['Qwen3', QWEN3, 32768],
    ['Qwen3 with experts', QWEN3_MOE, 32768],
    ['Qwen3.5', QWEN3_5, 32768],
    ['Qwen3-Next', QWEN3_NEXT, 32768],
    ['Gemma', GEMMA, 8192],
    ['Gemma 2', GEMMA2, 8192],
    ['Gemma 3', GEMMA3, 131072],
    ['Gemma 4', GEMMA4, 131072],
  ] as const)
    it(`of ${name} may leave out its length and the epsilon of its norms`, async () => {
      const checkpoint = withConfig(readCheckpoint(directory), { rms_norm_eps: 1e-6 });
      const expected = await logitsOf(checkpoint);
      for (const none of [undefined, null]) {
        const silent = withConfig(checkpoint, { rms_norm_eps: none, max_position_embeddings: none });
        const { logits, config } = await run(writeCheckpoint(silent));
        assert.deepEqual(logits, expected);
        assert.equal(config.maxPositionEmbeddings, positions);
      }
    });

  for (const [name, parse, directory, headDim] of [
    ['Qwen3', parseQwen3Config, QWEN3, 128],
    ['Gemma', parseGemmaConfig, GEMMA, 256],
    ['Gemma 2', parseGemma2Config, GEMMA2, 256],
    ['Gemma 3', parseGemma3Config, GEMMA3, 256],
    ['Gemma 4', parseGemma4Config, GEMMA4, 256],
    ['Llama', parseLlamaConfig, LLAMA, 64 / 4],
    ['Qwen3 with experts', parseQwen3MoeConfig, QWEN3_MOE, 64 / 4],
  ] as const)
    it(`of ${name} may leave out the width of the heads`, () => {
      for (const head_dim of [undefined, null])
        assert.equal(parseFixture(parse, directory, { head_dim }).headDim, headDim);
    });

  it('has as many heads of keys as of queries where it does not say', () => {
    for (const num_key_value_heads of [undefined, null])
      for (const [parse, directory] of [
        [parseQwen3Config, QWEN3],
        [parseLlamaConfig, LLAMA],
        [parseMistralConfig, MISTRAL],
        [parseGemmaConfig, GEMMA],
      ] as const)
        assert.equal(parseFixture(parse, directory, { num_key_value_heads }).numKeyValueHeads, 4);
  });

  it('of Mistral has the window of the first release where it does not say, and none where it says null', async () => {
    for (const [sliding_window, window] of [
      [undefined, 4096],
      [null, undefined],
      [0, undefined],
      [64, 64],
    ] as const) {
      const checkpoint = withConfig(readCheckpoint(MISTRAL), { sliding_window });
      assert.equal(parseFixture(parseMistralConfig, MISTRAL, { sliding_window }).sliding?.window, window);
      assert.ok((await logitsOf(checkpoint)).every(Number.isFinite));
    }
  });

  it('may call its activation swish', async () => {
    for (const directory of [QWEN3, LLAMA, QWEN3_5]) await assertAlike(directory, { hidden_act: 'swish' });
  });

  it('may name the gate of Qwen3.5, which is silu, and no other', async () => {
    for (const output_gate_type of [undefined, 'silu', 'swish'])
      await assertAlike(QWEN3_5, { output_gate_type });
    await assertRefused(
      () => run(writeCheckpoint(withConfig(readCheckpoint(QWEN3_5), { output_gate_type: 'sigmoid' }))),
      'output_gate_type',
      'sigmoid',
    );
  });

  it('may begin with a byte order mark', async () => {
    const { config } = readCheckpoint(QWEN3);
    const folder = writeCheckpoint(readCheckpoint(QWEN3));
    const { logits } = await run(folder);
    writeFileSync(join(folder, 'config.json'), `\uFEFF${JSON.stringify(config)}`);
    assert.deepEqual((await run(folder)).logits, logits);
  });
});

describe('the files of a tokenizer', () => {
  const file = (name: string) => ConfigFields.read(join(PAIR_TARGET, name)).object;

  it('may leave out every step that it does not take', () => {
    const whole = file('tokenizer.json');
    const plain = { ...whole, normalizer: null, post_processor: null };
    const idsOf = (tokenizer: Entries) => {
      const folder = temporaryFolder();
      writeJson(folder, 'tokenizer.json', tokenizer);
      return loadTokenizer(folder)?.encodePrompt('let x = "é1"');
    };
    const expected = idsOf(plain);
    assert.ok(expected && expected.length > 3);
    assert.deepEqual(idsOf({ ...plain, normalizer: undefined }), expected);
    assert.deepEqual(idsOf({ ...plain, post_processor: undefined }), expected);
    for (const step of ['pre_tokenizer', 'decoder'])
      assert.deepEqual(idsOf({ ...plain, [step]: undefined }), idsOf({ ...plain, [step]: null }));
  });

  it('may be the only ones that name the end token, in either spelling', () => {
    const end = { content: '<|im_end|>', lstrip: false, special: true };
    for (const [name, eos_token] of [
      ['tokenizer_config.json', '<|im_end|>'],
      ['tokenizer_config.json', end],
      ['special_tokens_map.json', '<|im_end|>'],
      ['special_tokens_map.json', end],
    ] as const) {
      const folder = temporaryFolder();
      writeJson(folder, 'tokenizer.json', file('tokenizer.json'));
      writeJson(folder, name, { eos_token });
      const tokenizer = loadTokenizer(folder);
      assert.ok(tokenizer);
      assert.deepEqual(endTokenIds(folder, tokenizer), [tokenizer.specialTokenId('<|im_end|>')]);
      writeJson(folder, name, { eos_token: '<nowhere>' });
      assert.deepEqual(endTokenIds(folder, tokenizer), []);
    }
  });
});
