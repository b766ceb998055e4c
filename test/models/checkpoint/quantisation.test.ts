// Tests the quantisation of modules, and the error for every kind of quantisation other than mlx-lm's affine one with
// 2, 3, 4, 5, 6 or 8 bits.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { parseQuantisation } from '../../../server/models/checkpoint/quantisation';
import { withQuantisationOfOtherFiles } from '../../../server/models/checkpoint/foreignQuantisation';
import { loadable } from '../../../server/models/loadable';
import { loadTarget } from '../../support/loadModels';
import { testDevice } from '../../support/testDevice';
import { assertRefused } from '../../support/refusal';
import { tinyTarget, withConfig, writeCheckpoint, writeJson } from '../../support/tinyCheckpoint';

const parse = (config: Readonly<Record<string, unknown>>) =>
  parseQuantisation(new ConfigFields('config.json', config));

const BITS4 = { bits: 4, group_size: 64 };

const REFUSED: readonly (readonly [quantization: unknown, ...mentions: string[]])[] = [
  ...[7, 9, 16, 1].map((bits) => [{ ...BITS4, bits }, 'bits of 2, 3, 4, 5, 6, 8', `got ${bits}`] as const),
  ...[undefined, null, '4', 4.5, 0, -4].map((bits) => [{ ...BITS4, bits }, 'quantization: bits'] as const),
  ...[48, 16, 256, 1, 100].map(
    (group_size) => [{ ...BITS4, group_size }, 'group_size of 32, 64, 128', `got ${group_size}`] as const,
  ),
  ...[undefined, '64', 0, -1].map(
    (group_size) => [{ ...BITS4, group_size }, 'quantization: group_size'] as const,
  ),
  ...['mxfp4', 'nvfp4', 'mxfp8'].map((mode) => [{ ...BITS4, mode }, "mode 'affine'", `got ${mode}`] as const),
  // Another mode of mlx-lm, with a group size that affine weights do not have.
  [{ bits: 4, group_size: 16, mode: 'nvfp4' }, "mode 'affine'", 'got nvfp4'],
  [{ ...BITS4, mode: 4 }, 'quantization: mode'],
  ...['fp8', 'gptq', 'awq', 'bitsandbytes', 'mxfp4'].map(
    (quant_method) => [{ quant_method, bits: 4 }, 'mlx-lm', `got ${quant_method}`] as const,
  ),
  // Formats of other tools as published files spell them, with and without quant_method.
  [{ quant_method: 'modelopt', quant_algo: 'FP8' }, 'mlx-lm', 'got modelopt, FP8'],
  [{ quant_algo: 'FP8', producer: { name: 'modelopt' } }, 'mlx-lm', 'got FP8, modelopt'],
  [{ quant_algo: 'NVFP4', kv_cache_quant_algo: 'FP8' }, 'mlx-lm', 'got NVFP4'],
  [{ quant_method: 'compressed-tensors', format: 'float-quantized' }, 'mlx-lm', 'got compressed-tensors'],
  [{ config_groups: { group_0: {} } }, 'mlx-lm', 'got compressed-tensors'],
  [{ quant_method: 'fbgemm_fp8', activation_scale_ub: 1200 }, 'mlx-lm', 'got fbgemm_fp8'],
  [{ activation_scheme: 'dynamic', fmt: 'e4m3', weight_block_size: [128, 128] }, 'mlx-lm', 'got e4m3'],
  [{ activation_scheme: 'static' }, 'mlx-lm', 'got FP8'],
  [{ ...BITS4, desc_act: false, sym: true }, 'mlx-lm', 'got GPTQ'],
  [{ load_in_4bit: true }, 'mlx-lm', 'got bitsandbytes'],
  ['4bit', 'config.json: quantization'],
  [[4, 64], 'config.json: quantization'],
  [true, 'config.json: quantization'],
  [{ ...BITS4, lm_head: { bits: 7, group_size: 64 } }, 'quantization: lm_head', 'got 7'],
  [{ ...BITS4, lm_head: { bits: 8, group_size: '64' } }, 'quantization: lm_head: group_size'],
  [{ ...BITS4, lm_head: { ...BITS4, mode: 'mxfp4' } }, 'quantization: lm_head', 'got mxfp4'],
];

describe('quantisation', () => {
  it('applies the quantisation to every module without an entry of its own', () => {
    const quantisationOf = parse({
      quantization: {
        ...BITS4,
        mode: 'affine',
        'a.gate': { bits: 8, group_size: 32 },
        'a.norm': false,
        'a.up': true,
      },
    });
    assert.deepEqual(quantisationOf('a.down'), { bits: 4, groupSize: 64 });
    assert.deepEqual(quantisationOf('a.up'), { bits: 4, groupSize: 64 });
    assert.deepEqual(quantisationOf('a.gate'), { bits: 8, groupSize: 32 });
    assert.equal(quantisationOf('a.norm'), undefined);
  });

  it('finds the entry of a module despite wrapper modules in either name', () => {
    const wrappers = ['', 'model.', 'language_model.', 'language_model.model.', 'model.language_model.'];
    for (const inFile of wrappers) {
      const quantisationOf = parse({
        quantization: { ...BITS4, [`${inFile}layers.0.mlp.gate`]: { bits: 8, group_size: 32 } },
      });
      for (const ofTensor of wrappers)
        assert.deepEqual(quantisationOf(`${ofTensor}layers.0.mlp.gate`), { bits: 8, groupSize: 32 });
      assert.deepEqual(quantisationOf('mtp.layers.0.mlp.gate'), { bits: 4, groupSize: 64 });
    }
  });

  it('reads quantization first, then quantization_config, either of which can be empty', () => {
    for (const empty of [undefined, null, false, 0])
      assert.equal(parse({ quantization: empty, quantization_config: empty })('m'), undefined);
    const eightBits = { bits: 8, group_size: 32 };
    assert.deepEqual(parse({ quantization_config: eightBits })('m'), { bits: 8, groupSize: 32 });
    const named = parse({ quantization_config: { ...BITS4, mode: 'affine', quant_method: 'mlx' } });
    assert.deepEqual(named('m'), parse({ quantization: BITS4 })('m'));
    const inCapitals = parse({
      quantization_config: { ...BITS4, quant_method: 'MLX', modules_to_not_convert: ['a'] },
    });
    assert.deepEqual(inCapitals('m'), { bits: 4, groupSize: 64 });
    const both = parse({ quantization: BITS4, quantization_config: { quant_method: 'fp8' } });
    assert.deepEqual(both('m'), { bits: 4, groupSize: 64 });
  });

  it('refuses a quantisation or a type of weights that only the nested text part names', () => {
    for (const [nested, got] of [
      [{ quantization_config: { quant_method: 'fp8' } }, 'text_config: quantization_config, got fp8'],
      [{ dtype: 'float8_e4m3fn' }, 'text_config, got dtype float8_e4m3fn'],
    ] as const)
      assert.throws(() => parse({ text_config: nested }), new RegExp(got));
  });

  it('refuses a quantisation that only compression_config describes, as in drafters', () => {
    assert.throws(
      () => parse({ compression_config: { quant_method: 'compressed-tensors' } }),
      /got compressed-tensors/,
    );
  });

  for (const [quantization, ...mentions] of REFUSED) {
    it(`refuses ${JSON.stringify(quantization)}`, async () => {
      const folder = writeCheckpoint({ ...withConfig(tinyTarget(), { quantization }), tensors: {} });
      await assertRefused(() => loadTarget(folder, testDevice), folder, ...mentions);
    });
  }

  for (const dtype of ['float8_e4m3fn', 'torch.float8_e5m2', 'int8'])
    it(`refuses weights of the type ${dtype}, before a download too`, async () => {
      for (const field of ['dtype', 'torch_dtype']) {
        const checkpoint = withConfig(tinyTarget(), { [field]: dtype });
        const folder = writeCheckpoint({ ...checkpoint, tensors: {} });
        await assertRefused(() => loadTarget(folder, testDevice), folder, `got ${field} ${dtype}`);
        const problem = loadable.problemOf(new ConfigFields('config.json', checkpoint.config));
        assert.match(problem?.message ?? '', /mlx-lm/);
      }
    });

  const OTHER_CONFIG_FILES: readonly (readonly [file: string, fields: object, got: string])[] = [
    [
      'hf_quant_config.json',
      { producer: { name: 'modelopt' }, quantization: { quant_algo: 'FP8', kv_cache_quant_algo: 'FP8' } },
      'FP8, modelopt',
    ],
    ['quantize_config.json', { bits: 4, group_size: 128, desc_act: true }, 'GPTQ'],
    ['quantize_config.json', { bits: 4, group_size: 128 }, 'GPTQ'],
    ['quant_config.json', { w_bit: 4, q_group_size: 128, version: 'GEMM' }, 'AWQ'],
    ['quantization_config.json', { quant_method: 'auto-round', bits: 4 }, 'auto-round'],
  ];
  for (const [file, fields, got] of OTHER_CONFIG_FILES)
    it(`refuses ${got} that only ${file} names: ${JSON.stringify(fields)}`, async () => {
      const folder = writeCheckpoint({ ...tinyTarget(), tensors: {} });
      writeJson(folder, file, fields);
      await assertRefused(() => loadTarget(folder, testDevice), join(folder, file), `got ${got}`);
    });

  it('reads the format of mlx-lm from a separate file that names it', () => {
    for (const quant_method of ['mlx', 'MLX']) {
      const beside = new ConfigFields('quantization_config.json', { ...BITS4, quant_method });
      const config = withQuantisationOfOtherFiles(new ConfigFields('config.json', {}), [beside]);
      assert.deepEqual(parseQuantisation(config)('m'), { bits: 4, groupSize: 64 });
    }
  });

  it('accepts weights if another tool quantised only the cache, or mlx-lm rewrote the weights', async () => {
    const cacheOnly = { quant_algo: null, kv_cache_quant_algo: 'FP8' };
    assert.equal(parse({ quantization_config: { quant_method: 'modelopt', ...cacheOnly } })('m'), undefined);
    const folder = writeCheckpoint(tinyTarget());
    writeJson(folder, 'hf_quant_config.json', { quantization: cacheOnly });
    (await loadTarget(folder, testDevice)).dispose();
    const beside = new ConfigFields('quantize_config.json', { bits: 4, desc_act: true });
    const config = withQuantisationOfOtherFiles(new ConfigFields('config.json', { quantization: BITS4 }), [
      beside,
    ]);
    assert.deepEqual(parseQuantisation(config)('m'), { bits: 4, groupSize: 64 });
  });
});
