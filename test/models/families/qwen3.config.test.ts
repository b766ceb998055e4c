// The complaint for every field of Qwen3's config.json that is missing, of the wrong type, out of range or of a kind that
// the model does not implement, and where its end tokens are. Right ones are in test/models/goldens.test.ts.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { parseQwen3Config } from '../../../server/models/families/qwen';
import { loadTarget } from '../../../server/models/families/registry';
import { cpu } from '../../support/cpu';
import { assertRefused } from '../../support/refusal';
import { temporaryFolder } from '../../support/temporaryFolder';
import { tinyTarget, withConfig, writeCheckpoint, writeJson } from '../../support/tinyCheckpoint';

/** Parses the tiny target's configuration with other entries. */
const parse = (entries: Readonly<Record<string, unknown>>, directory = temporaryFolder()) =>
  parseQwen3Config(directory, new ConfigFields('config.json', withConfig(tinyTarget(), entries).config));

const INTEGERS = [
  'hidden_size',
  'num_hidden_layers',
  'intermediate_size',
  'num_attention_heads',
  'num_key_value_heads',
  'vocab_size',
  'max_position_embeddings',
] as const;

/** What a file may leave out. */
const USUAL = new Set<string>(['num_key_value_heads', 'max_position_embeddings']);

const WRONG: readonly (readonly [field: string, value: unknown, mention?: string])[] = [
  ...INTEGERS.flatMap((field) =>
    [...(USUAL.has(field) ? [] : [undefined, null]), '64', 1.5, 0, 2 ** 40].map(
      (value) => [field, value] as const,
    ),
  ),
  ['num_hidden_layers', 5000],
  ['vocab_size', 2 ** 25],
  ['num_attention_heads', 3, 'multiple of num_key_value_heads'],
  ...[0, 1, 1.5, '32', 2 ** 40].map((value) => ['head_dim', value] as const),
  ['head_dim', 2048, 'even head_dim of at most 1024'],
  ['head_dim', 33, 'even head_dim'],
  ...['1e-6', 0, -1, true].map((value) => ['rms_norm_eps', value] as const),
  ...['true', 1].map((value) => ['attention_bias', value] as const),
  ...['true', 0].map((value) => ['tie_word_embeddings', value] as const),
  ...['</s>', -1, 1.5, [2, 'x'], {}, [[2]]].map((value) => ['eos_token_id', value] as const),
  ...['gelu', 'gelu_pytorch_tanh', 3].map((value) => ['hidden_act', value, 'hidden_act "silu"'] as const),
  ['use_sliding_window', true, 'use_sliding_window false'],
  ...['1e6', 0, -5].map((value) => ['rope_theta', value] as const),
  ['rope_scaling', { rope_type: 'dynamic', factor: 2 }, 'got dynamic'],
  ['rope_scaling', 'yarn'],
  ['rope_parameters', [1]],
];

describe('the Qwen3 configuration', () => {
  it('unites the end tokens of both files', () => {
    const folder = temporaryFolder();
    writeJson(folder, 'generation_config.json', { eos_token_id: [5, 2] });
    assert.deepEqual(parse({ eos_token_id: 2 }, folder).eosTokenIds, [2, 5]);
    assert.deepEqual(parse({ eos_token_id: null }, folder).eosTokenIds, [5, 2]);
    assert.deepEqual(parse({ eos_token_id: [7, 8] }).eosTokenIds, [7, 8]);
    assert.deepEqual(parse({ eos_token_id: undefined }).eosTokenIds, []);
  });

  it('names generation_config.json when that is wrong', async () => {
    const folder = temporaryFolder();
    writeJson(folder, 'generation_config.json', { eos_token_id: 'end' });
    await assertRefused(() => parse({}, folder), 'generation_config.json: eos_token_id');
    writeJson(folder, 'generation_config.json', []);
    await assertRefused(() => parse({}, folder), 'generation_config.json');
  });

  for (const [field, value, mention] of WRONG) {
    it(`refuses ${field} ${JSON.stringify(value) ?? 'missing'}`, async () => {
      const folder = writeCheckpoint({ ...withConfig(tinyTarget(), { [field]: value }), tensors: {} });
      await assertRefused(() => loadTarget(folder, cpu), join(folder, 'config.json'), mention ?? field);
    });
  }
});
