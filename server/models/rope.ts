// Rotary position embeddings: the native kernel for the default form, an own one for YaRN, which needs
// per-dimension frequencies that node-mlx 0.0.7 cannot take (speculative-decoding.md F.9).
import { InputError } from '../inputError';
import type { ConfigFields } from './configFields';
import * as mx from './ops';

export interface RopeConfig {
  readonly headDim: number;
  readonly ropeTheta: number;
  readonly yarn?: YarnConfig | undefined;
}

interface YarnConfig {
  readonly factor: number;
  readonly originalMaxPositionEmbeddings: number;
  readonly betaFast: number;
  readonly betaSlow: number;
  readonly attentionFactor: number;
}

/** Rotates [1, heads, rows, headDim]; all heads of a pass share the positions it was made for. */
export type Rotate = (x: mx.MxArray) => mx.MxArray;

export interface Rope {
  /** Prepares the rotation of positions offset .. offset + rows - 1. */
  at(offset: number, rows: number): Rotate;
}

/** Reads `rope_theta` with `rope_scaling`, or the newer `rope_parameters` that holds both. */
export function parseRope(config: ConfigFields, headDim: number): RopeConfig {
  const fields = config.has('rope_parameters') ? config.nested('rope_parameters') : config;
  const ropeTheta = fields.has('rope_theta') ? fields.number('rope_theta') : 10000;
  const scaling = config.has('rope_scaling') ? config.nested('rope_scaling') : fields;
  const typeField = ['rope_type', 'type'].find((name) => scaling.has(name));
  const ropeType = typeField === undefined ? 'default' : scaling.string(typeField);
  if (ropeType === 'default') return { headDim, ropeTheta };
  if (ropeType === 'yarn') return { headDim, ropeTheta, yarn: parseYarn(scaling, config) };
  throw new InputError({
    expected: `rope_type default or yarn in ${scaling.source}`,
    got: ropeType,
    remedy: 'use a checkpoint with one of these',
  });
}

function parseYarn(scaling: ConfigFields, config: ConfigFields): YarnConfig {
  const factor = scaling.number('factor');
  const original = 'original_max_position_embeddings';
  return {
    factor,
    originalMaxPositionEmbeddings: scaling.has(original)
      ? scaling.integer(original)
      : config.integer('max_position_embeddings'),
    betaFast: scaling.has('beta_fast') ? scaling.number('beta_fast') : 32,
    betaSlow: scaling.has('beta_slow') ? scaling.number('beta_slow') : 1,
    attentionFactor: scaling.has('attention_factor')
      ? scaling.number('attention_factor')
      : factor <= 1
        ? 1
        : 0.1 * Math.log(factor) + 1,
  };
}

export function newRope(config: RopeConfig, dtype: mx.Dtype): Rope {
  if (config.yarn)
    return new YarnRope(
      config.headDim,
      yarnFrequencies(config, config.yarn),
      config.yarn.attentionFactor,
      dtype,
    );
  return { at: (offset) => (x) => mx.rope(x, config.headDim, config.ropeTheta, offset) };
}

class YarnRope implements Rope {
  constructor(
    private readonly headDim: number,
    private readonly frequencies: readonly number[],
    private readonly attentionFactor: number,
    private readonly dtype: mx.Dtype,
  ) {}

  at(offset: number, rows: number): Rotate {
    const positions = mx.astype(mx.reshape(mx.arange(offset, offset + rows), rows, 1), mx.float32);
    const angles = mx.multiply(positions, mx.constant(this.frequencies, mx.float32)); // [rows, headDim / 2]
    const scale = mx.constant(this.attentionFactor, mx.float32);
    const c = mx.astype(mx.multiply(mx.cos(angles), scale), this.dtype);
    const s = mx.astype(mx.multiply(mx.sin(angles), scale), this.dtype);
    const half = this.headDim / 2;
    return (x) => {
      const [a, b] = [mx.slice(x, 3, 0, half), mx.slice(x, 3, half, this.headDim)];
      const turned = [
        mx.subtract(mx.multiply(a, c), mx.multiply(b, s)),
        mx.add(mx.multiply(b, c), mx.multiply(a, s)),
      ];
      return mx.concatenate(turned, 3);
    };
  }
}

/** Per-pair angle of one position: slow pairs are interpolated by `factor`, fast ones kept, a ramp between. */
function yarnFrequencies({ headDim, ropeTheta }: RopeConfig, yarn: YarnConfig): number[] {
  const pairOf = (rotations: number): number =>
    (headDim * Math.log(yarn.originalMaxPositionEmbeddings / (rotations * 2 * Math.PI))) /
    (2 * Math.log(ropeTheta));
  const low = Math.max(Math.floor(pairOf(yarn.betaFast)), 0);
  const high = Math.min(Math.ceil(pairOf(yarn.betaSlow)), headDim - 1);
  return Array.from({ length: headDim / 2 }, (_, pair) => {
    const frequency = ropeTheta ** ((-2 * pair) / headDim);
    const ramp = Math.min(Math.max((pair - low) / Math.max(high - low, 0.001), 0), 1);
    return frequency * (1 - ramp) + (frequency / yarn.factor) * ramp;
  });
}
