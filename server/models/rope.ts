// Rotary position embeddings: the native kernel for the default form, an own one for YaRN, which needs
// per-dimension frequencies that node-mlx 0.0.7 cannot take (speculative-decoding.md F.9).
import { InputError } from '../inputError';
import type { ConfigFields } from './configFields';
import type { Device } from './device';
import * as mx from './ops';
import type { Weights } from './weights';

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

/**
 * On a GPU the default form has a kernel of its own. On the CPU that kernel falls apart into some twenty small
 * operations per call, so there, and for YaRN, the tables are made once per pass and shared by all layers.
 */
export function newRope(config: RopeConfig, { name, dtype }: Device, weights: Weights): Rope {
  if (name === 'gpu' && !config.yarn)
    return { at: (offset) => (x) => mx.rope(x, config.headDim, config.ropeTheta, offset) };
  const { headDim } = config;
  return new TableRope(
    config,
    dtype,
    weights.constant(identity(headDim)),
    weights.constant(halfTurn(headDim)),
  );
}

class TableRope implements Rope {
  /** Angle per position, once for each half of a head. [headDim] */
  readonly #frequencies: readonly number[];
  readonly #attentionFactor: number;
  constructor(
    config: RopeConfig,
    private readonly dtype: mx.Dtype,
    readonly identity: mx.MxArray,
    /** x · halfTurn = (-second half, first half). Both are [headDim, headDim]. */
    readonly halfTurn: mx.MxArray,
  ) {
    const { yarn } = config;
    const frequencies = yarn ? yarnFrequencies(config, yarn) : defaultFrequencies(config);
    this.#frequencies = [...frequencies, ...frequencies];
    this.#attentionFactor = yarn?.attentionFactor ?? 1;
  }

  at(offset: number, rows: number): Rotate {
    const positions = mx.astype(mx.reshape(mx.arange(offset, offset + rows), rows, 1), mx.float32);
    const angles = mx.multiply(positions, mx.constant(this.#frequencies, mx.float32)); // [rows, headDim]
    const cos = this.#table(mx.cos(angles));
    const sin = this.#table(mx.sin(angles));
    if (rows > 1) return (x) => mx.add(mx.multiply(x, cos), mx.multiply(mx.matmul(x, this.halfTurn), sin));
    // A single position is one matrix: one operation per call instead of four.
    const turn = mx.add(mx.multiply(this.identity, cos), mx.multiply(this.halfTurn, sin));
    return (x) => mx.matmul(x, turn);
  }

  #table(values: mx.MxArray): mx.MxArray {
    const scaled =
      this.#attentionFactor === 1
        ? values
        : mx.multiply(values, mx.constant(this.#attentionFactor, mx.float32));
    return this.dtype === mx.float32 ? scaled : mx.astype(scaled, this.dtype);
  }
}

function identity(headDim: number): number[][] {
  const range = Array.from({ length: headDim }, (_, i) => i);
  return range.map((from) => range.map((to) => Number(from === to)));
}

/** The matrix that turns every pair (i, i + half) of a head by a quarter circle. */
function halfTurn(headDim: number): number[][] {
  const half = headDim / 2;
  const entry = (from: number, to: number): number => (from === to + half ? -1 : from + half === to ? 1 : 0);
  const range = Array.from({ length: headDim }, (_, i) => i);
  return range.map((from) => range.map((to) => entry(from, to)));
}

function defaultFrequencies({ headDim, ropeTheta }: RopeConfig): number[] {
  return Array.from({ length: headDim / 2 }, (_, pair) => ropeTheta ** ((-2 * pair) / headDim));
}

/** Per-pair angle of one position: slow pairs are interpolated by `factor`, fast ones kept, a ramp between. */
function yarnFrequencies({ headDim, ropeTheta }: RopeConfig, yarn: YarnConfig): number[] {
  const pairOf = (rotations: number): number =>
    (headDim * Math.log(yarn.originalMaxPositionEmbeddings / (rotations * 2 * Math.PI))) /
    (2 * Math.log(ropeTheta));
  const low = Math.max(Math.floor(pairOf(yarn.betaFast)), 0);
  const high = Math.min(Math.ceil(pairOf(yarn.betaSlow)), headDim - 1);
  return defaultFrequencies({ headDim, ropeTheta }).map((frequency, pair) => {
    const ramp = Math.min(Math.max((pair - low) / Math.max(high - low, 0.001), 0), 1);
    return frequency * (1 - ramp) + (frequency / yarn.factor) * ramp;
  });
}
