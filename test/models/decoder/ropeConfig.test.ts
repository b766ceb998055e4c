// Tests rotary settings in every spelling of published checkpoints, and the error for wrong ones and for rotations that
// are not supported.
import assert from 'node:assert/strict';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { parseLayerRopes, parseRope } from '../../../server/models/decoder/ropeConfig';
import { assertRefused } from '../../support/refusal';

const HEAD = 32;

type Entries = Readonly<Record<string, unknown>>;

const fieldsOf = (config: Entries) => new ConfigFields('config.json', config);
const parse = (config: Entries) => parseRope(fieldsOf(config), HEAD);
const parseLayers = (config: Entries) => parseLayerRopes(fieldsOf(config), HEAD, 1e6);

const LLAMA3 = {
  factor: 8,
  low_freq_factor: 1,
  high_freq_factor: 4,
  original_max_position_embeddings: 8192,
};
const YARN = { factor: 4, original_max_position_embeddings: 128 };

const FORMS: readonly (readonly [type: string, parameters: Entries, parsed: unknown])[] = [
  ['default', {}, undefined],
  ['linear', { factor: 2.5 }, { type: 'linear', factor: 2.5 }],
  // Differs from the default only beyond max_position_embeddings, which no text exceeds.
  ['dynamic', { factor: 2 }, undefined],
  [
    'llama3',
    LLAMA3,
    {
      type: 'llama3',
      factor: 8,
      lowFreqFactor: 1,
      highFreqFactor: 4,
      originalMaxPositionEmbeddings: 8192,
    },
  ],
  [
    'yarn',
    { ...YARN, beta_fast: 16, beta_slow: 2, attention_factor: 1.5, attn_factor: 1 },
    {
      type: 'yarn',
      factor: 4,
      originalMaxPositionEmbeddings: 128,
      betaFast: 16,
      betaSlow: 2,
      attentionFactor: 1.5,
    },
  ],
  [
    'proportional',
    { partial_rotary_factor: 0.25 },
    { type: 'proportional', factor: 1, rotatedPairs: HEAD / 8 },
  ],
];

const WRONG: readonly (readonly [form: Entries, mention: string])[] = [
  ...['longrope', 'su', 'mrope'].map((rope_type) => [{ rope_type, factor: 2 }, `got ${rope_type}`] as const),
  [{ rope_type: 3 }, 'rope_type'],
  ...['linear', 'llama3', 'yarn'].flatMap((rope_type) =>
    [undefined, 0, '4'].map((factor) => [{ ...LLAMA3, rope_type, factor }, 'factor'] as const),
  ),
  [{ ...LLAMA3, rope_type: 'llama3', low_freq_factor: undefined }, 'low_freq_factor'],
  [{ ...LLAMA3, rope_type: 'llama3', high_freq_factor: undefined }, 'high_freq_factor'],
  [{ ...LLAMA3, rope_type: 'llama3', high_freq_factor: 1 }, 'high_freq_factor'],
  [{ rope_type: 'dynamic' }, 'factor'],
  [{ rope_type: 'dynamic', factor: 2, alpha: 1000 }, 'alpha'],
  [{ ...YARN, rope_type: 'yarn', original_max_position_embeddings: 0 }, 'original_max_position_embeddings'],
  [{ ...YARN, rope_type: 'yarn', beta_fast: -1 }, 'beta_fast'],
  [{ ...YARN, rope_type: 'yarn', beta_slow: 'slow' }, 'beta_slow'],
  [{ ...YARN, rope_type: 'yarn', attention_factor: 0 }, 'attention_factor'],
  [{ ...YARN, rope_type: 'yarn', attn_factor: 0.5 }, 'attn_factor'],
  [{ ...YARN, rope_type: 'yarn', extrapolation_factor: 2 }, 'extrapolation_factor'],
  [{ ...YARN, rope_type: 'yarn', truncate: 1 }, 'truncate'],
  [{ rope_type: 'proportional', factor: 0 }, 'factor'],
  [{ rope_type: 'proportional', partial_rotary_factor: 0.01 }, 'partial_rotary_factor'],
  [{ rope_type: 'proportional', partial_rotary_factor: 1.5 }, 'a number above 0 and up to 1 '],
  [{ ...YARN, rope_type: 'yarn', mscale: 'x', mscale_all_dim: 1 }, 'mscale'],
];

describe('rotary settings', () => {
  for (const [type, parameters, scaling] of FORMS) {
    it(`reads the three spellings of type ${type}`, () => {
      const expected = { headDim: HEAD, ropeTheta: 5e5, ...(scaling !== undefined && { scaling }) };
      const older = { rope_theta: 5e5, rope_scaling: { type, ...parameters } };
      const usual = { rope_theta: 5e5, rope_scaling: { rope_type: type, ...parameters } };
      const newer = { rope_parameters: { rope_theta: 5e5, rope_type: type, ...parameters } };
      for (const config of [older, usual, newer]) assert.deepEqual(parse(config), expected);
    });
  }

  it('rotates with a base of 10000 by default', () => {
    assert.deepEqual(parse({}), { headDim: HEAD, ropeTheta: 10000 });
    assert.deepEqual(parse({ rope_scaling: null, rope_parameters: null }), parse({}));
    assert.equal(parseRope(fieldsOf({}), HEAD, 1e6).ropeTheta, 1e6);
    assert.equal(parseRope(fieldsOf({ rope_theta: 5 }), HEAD, 1e6).ropeTheta, 5);
  });

  it('reads rope_theta from rope_parameters, the top level, or rope_scaling, in this order', () => {
    const scalingWithTheta = { rope_scaling: { rope_type: 'linear', factor: 2, rope_theta: 7 } };
    const rope_parameters = { rope_type: 'default' };
    assert.equal(parse({ rope_theta: 5, rope_parameters, ...scalingWithTheta }).ropeTheta, 5);
    const withTheta = { ...rope_parameters, rope_theta: 6 };
    assert.equal(parse({ rope_theta: 5, rope_parameters: withTheta }).ropeTheta, 6);
    assert.equal(parse(scalingWithTheta).ropeTheta, 7);
  });

  it('applies the default ramp and scale of YaRN', () => {
    const config = { max_position_embeddings: 512, rope_scaling: { type: 'yarn', factor: 4 } };
    assert.deepEqual(parse(config).scaling, {
      type: 'yarn',
      factor: 4,
      originalMaxPositionEmbeddings: 512,
      betaFast: 32,
      betaSlow: 1,
      attentionFactor: 0.1 * Math.log(4) + 1,
    });
  });

  const scaleOf = (entries: Entries) => {
    const { scaling } = parse({ rope_scaling: { rope_type: 'yarn', ...YARN, ...entries } });
    assert.equal(scaling?.type, 'yarn');
    return scaling.attentionFactor;
  };

  it('reads original lengths from the top level first, like transformers', async () => {
    const config = { max_position_embeddings: 512 };
    const lengthOf = (scaling: Entries, outer: Entries = config) => {
      const { scaling: parsed } = parse({ ...outer, rope_scaling: scaling });
      assert.ok(parsed?.type === 'yarn' || parsed?.type === 'llama3');
      return [parsed.originalMaxPositionEmbeddings, parsed.factor];
    };
    const llama3 = { ...LLAMA3, rope_type: 'llama3' };
    const withoutLength = { ...llama3, original_max_position_embeddings: undefined };
    assert.deepEqual(lengthOf(withoutLength), [512, 8]);
    await assertRefused(() => parse({ rope_scaling: withoutLength }), 'config.json: max_position_embeddings');
    const outer = { ...config, original_max_position_embeddings: 64 };
    assert.deepEqual(lengthOf(llama3, outer), [64, 8]);
    assert.deepEqual(lengthOf({ rope_type: 'yarn', factor: 4 }, outer), [64, 4]);
    assert.deepEqual(lengthOf({ rope_type: 'yarn', ...YARN, factor: null }), [128, 4]);
  });

  it('scales by the ratio of both mscale fields if there are two', () => {
    const usual = 0.1 * Math.log(4) + 1;
    assert.equal(scaleOf({ mscale: 1, mscale_all_dim: 1 }), 1);
    assert.equal(scaleOf({ mscale: 2, mscale_all_dim: 1 }), (0.2 * Math.log(4) + 1) / usual);
    assert.equal(scaleOf({ mscale: 2 }), usual);
    assert.equal(scaleOf({ mscale: 2, mscale_all_dim: 0 }), usual);
    assert.equal(scaleOf({ mscale: 2, mscale_all_dim: 1, attention_factor: 3 }), 3);
    assert.equal(scaleOf({ factor: 0.5 }), 1);
  });

  it('reads the part of each head that is rotated', () => {
    const expected = { headDim: HEAD, rotaryDim: 8, ropeTheta: 10000 };
    assert.deepEqual(parse({ partial_rotary_factor: 0.25 }), expected);
    assert.deepEqual(parse({ rope_parameters: { partial_rotary_factor: 0.25 } }), expected);
    assert.deepEqual(parse({ partial_rotary_factor: 0.25, rope_parameters: {} }), expected);
    assert.deepEqual(parse({ partial_rotary_factor: 1 }), { headDim: HEAD, ropeTheta: 10000 });
  });

  it('rejects a rotated part that cannot be halved, or is not a share of a head', async () => {
    for (const partial_rotary_factor of [0.1, 0.01])
      await assertRefused(() => parse({ partial_rotary_factor }), 'config.json', 'partial_rotary_factor');
    for (const partial_rotary_factor of [0, -1, 1.5, '0.5'])
      await assertRefused(() => parse({ partial_rotary_factor }), 'config.json: partial_rotary_factor');
  });

  for (const [form, mention] of WRONG) {
    it(`rejects the rotary settings ${JSON.stringify(form)}`, async () => {
      await assertRefused(() => parse({ rope_scaling: form }), 'config.json: rope_scaling', mention);
      const rope_parameters = { rope_theta: 1e4, ...form };
      await assertRefused(() => parse({ rope_parameters }), 'config.json: rope_parameters', mention);
    });
  }
});

describe('rotary settings per kind of layer', () => {
  const scaling = { type: 'linear', factor: 8 };
  const full = { headDim: HEAD, ropeTheta: 5e5, scaling };

  it('reads rotations per kind of layer from rope_parameters or older fields, which scale full layers only', () => {
    const rope_parameters = {
      full_attention: { rope_theta: 5e5, rope_type: 'linear', factor: 8 },
      sliding_attention: { rope_theta: 2e4, rope_type: 'default' },
    };
    const older = { rope_theta: 5e5, rope_local_base_freq: 2e4, rope_scaling: scaling };
    for (const config of [{ rope_parameters, rope_scaling: null }, older])
      assert.deepEqual(parseLayers(config), {
        fullAttention: full,
        slidingAttention: { headDim: HEAD, ropeTheta: 2e4 },
      });
    for (const config of [{ rope_parameters: { full_attention: {}, sliding_attention: {} } }, {}])
      assert.deepEqual(parseLayers(config), {
        fullAttention: { headDim: HEAD, ropeTheta: 1e6 },
        slidingAttention: { headDim: HEAD, ropeTheta: 10000 },
      });
  });

  it('rejects rotations per kind of layer when one is missing or wrong, or in a family with one rotation', async () => {
    const full_attention = { rope_theta: 1e6 };
    for (const [rope_parameters, mention] of [
      [{ full_attention }, 'sliding_attention'],
      [{ full_attention, sliding_attention: 3 }, 'sliding_attention'],
      [{ full_attention: { rope_type: 'longrope' }, sliding_attention: {} }, 'full_attention'],
    ] as const)
      await assertRefused(() => parseLayers({ rope_parameters }), 'rope_parameters', mention);
    await assertRefused(() => parseLayers({ rope_local_base_freq: 0 }), 'rope_local_base_freq');
    const rope_parameters = { full_attention: {}, sliding_attention: {} };
    await assertRefused(() => parse({ rope_parameters }), 'rope_parameters', 'full_attention');
  });
});
