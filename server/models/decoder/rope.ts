// Rotary position embeddings: by the native kernel or by tables of cosines and sines. Tables serve on a CPU,
// and for scalings with a frequency per pair, which node-mlx's kernel does not accept.
import { compiled } from '../mlx/compiled';
import * as mx from '../mlx/ops';
import type { Llama3Scaling, RopeConfig, YarnScaling } from './ropeConfig';
import type { Weights } from '../checkpoint/weights';

/** Rotates [1, heads, rows, headDim] by the positions that it was made for. */
export type Rotate = (x: mx.MxArray) => mx.MxArray;

/** Prepares the rotation of positions offset .. offset + rows - 1. */
type Rope = (offset: number, rows: number) => Rotate;

/**
 * Creates the rotation. On a GPU the default and the linear form use the native kernel. On a CPU that kernel is some
 * twenty small operations per call, so there, and for the other forms, tables are made once per pass and shared by all
 * layers.
 */
export function newRope(config: RopeConfig, weights: Weights): Rope {
  const { headDim, rotaryDim = headDim, ropeTheta, scaling } = config;
  if (weights.device.name === 'gpu' && (scaling === undefined || scaling.type === 'linear')) {
    const form = { dims: rotaryDim, base: ropeTheta, scale: 1 / (scaling?.factor ?? 1) };
    return (offset) => (x) => mx.rope(x, offset, form);
  }
  return tableRope(config, weights);
}

function tableRope(config: RopeConfig, weights: Weights): Rope {
  const { headDim, rotaryDim = headDim, scaling } = config;
  const frequencies = ropeFrequencies(config);
  const perDim = (values: readonly number[], unrotated: number): readonly number[] => [
    ...values,
    ...Array<number>(headDim - rotaryDim).fill(unrotated),
  ];
  // Angles between neighbouring positions [headDim]: once for each half of the rotated part, 0 for the rest of a head.
  const angles = perDim([...frequencies, ...frequencies], 0);
  const amplitude = scaling?.type === 'yarn' ? scaling.attentionFactor : 1;
  const amplitudes = perDim(Array<number>(rotaryDim).fill(amplitude), 1);
  // x · quarterTurn = (-second half, first half, 0), [headDim, headDim].
  const quarterTurn = weights.constant(quarterTurnMatrix(headDim, rotaryDim));
  const withAmplitude = (values: mx.MxArray): mx.MxArray =>
    amplitude === 1 ? values : mx.multiply(values, mx.array(amplitudes, mx.float32));
  /** Computes the tables in float32: in 16 bits, the angles would be the largest error of all. */
  const tables = (offset: number, rows: number) => {
    const positions = mx.astype(mx.reshape(mx.arange(offset, offset + rows), rows, 1), mx.float32);
    const phases = mx.multiply(positions, mx.array(angles, mx.float32)); // [rows, headDim]
    return { cos: withAmplitude(mx.cos(phases)), sin: withAmplitude(mx.sin(phases)) };
  };
  return weights.device.name === 'gpu'
    ? gpuRope(quarterTurn, tables, weights)
    : cpuRope(quarterTurn, tables, weights);
}

type Tables = (offset: number, rows: number) => Readonly<Record<'cos' | 'sin', mx.MxArray>>;

/**
 * Rotates by tables on a GPU. A row is rounded in the same way whatever the number of rows, so that the rows of a
 * verify pass equal those of decode steps.
 */
function gpuRope(quarterTurn: mx.MxArray, tables: Tables, weights: Weights): Rope {
  const { dtype } = weights.device;
  const rotated = compiled(weights, (_, x: mx.MxArray, cos: mx.MxArray, sin: mx.MxArray) => {
    const exact = mx.astype(x, mx.float32);
    const crossed = mx.astype(mx.matmul(x, quarterTurn), mx.float32);
    return [mx.astype(mx.add(mx.multiply(exact, cos), mx.multiply(crossed, sin)), dtype)];
  });
  return (offset, rows) => {
    const { cos, sin } = tables(offset, rows);
    return (x) => rotated(rows, x, cos, sin)[0];
  };
}

/** Rotates by tables on a CPU, in float32: there, the forms for one row and for several hardly differ. */
function cpuRope(quarterTurn: mx.MxArray, tables: Tables, weights: Weights): Rope {
  const unit = weights.constant(identity(quarterTurn.shape[0] ?? 0));
  return (offset, rows) => {
    const { cos, sin } = tables(offset, rows);
    if (rows > 1) return (x) => mx.add(mx.multiply(x, cos), mx.multiply(mx.matmul(x, quarterTurn), sin));
    // A single position is one matrix: one operation per call instead of four.
    const rotation = mx.add(mx.multiply(unit, cos), mx.multiply(quarterTurn, sin));
    return (x) => mx.matmul(x, rotation);
  };
}

function identity(headDim: number): number[][] {
  const range = Array.from({ length: headDim }, (_, i) => i);
  return range.map((from) => range.map((to) => Number(from === to)));
}

/** Returns the matrix that rotates every pair (i, i + half) of the rotated part by a quarter circle. */
function quarterTurnMatrix(headDim: number, rotaryDim: number): number[][] {
  const half = rotaryDim / 2;
  const entry = (from: number, to: number): number => {
    if (from >= rotaryDim || to >= rotaryDim) return 0;
    return from === to + half ? -1 : from + half === to ? 1 : 0;
  };
  const range = Array.from({ length: headDim }, (_, i) => i);
  return range.map((from) => range.map((to) => entry(from, to)));
}

/** Returns the angle between neighbouring positions, in radians, for each pair (i, i + rotaryDim / 2). */
export function ropeFrequencies(config: RopeConfig): number[] {
  const { headDim, rotaryDim = headDim, ropeTheta, scaling } = config;
  const unscaled = Array.from({ length: rotaryDim / 2 }, (_, pair) => ropeTheta ** ((-2 * pair) / rotaryDim));
  switch (scaling?.type) {
    case undefined:
      return unscaled;
    case 'linear':
      return unscaled.map((frequency) => frequency / scaling.factor);
    case 'llama3':
      return unscaled.map((frequency) => mixed(frequency, scaling.factor, llama3Share(frequency, scaling)));
    case 'proportional':
      return unscaled.map((frequency, pair) =>
        pair < scaling.rotatedPairs ? frequency / scaling.factor : 0,
      );
    case 'yarn':
      return unscaled.map((frequency, pair) =>
        mixed(frequency, scaling.factor, 1 - yarnRamp(pair, rotaryDim, ropeTheta, scaling)),
      );
  }
}

/** Keeps a share `kept` of the frequency and slows the rest by `factor`. */
function mixed(frequency: number, factor: number, kept: number): number {
  return frequency * kept + (frequency / factor) * (1 - kept);
}

/** Returns the share of a frequency that Llama 3 keeps: 0 for slow turns, 1 for fast ones. */
function llama3Share(frequency: number, scaling: Llama3Scaling): number {
  const { lowFreqFactor, highFreqFactor, originalMaxPositionEmbeddings } = scaling;
  /** Full turns within the original length. */
  const turns = (originalMaxPositionEmbeddings * frequency) / (2 * Math.PI);
  return clamp((turns - lowFreqFactor) / (highFreqFactor - lowFreqFactor), 0, 1);
}

/** Returns the share of a pair's frequency that YaRN slows: from 0 for fast pairs to 1 for slow ones. */
function yarnRamp(pair: number, rotaryDim: number, ropeTheta: number, yarn: YarnScaling): number {
  /** Returns the pair (a fraction between two of them) that makes this many full turns within the original length. */
  const pairOf = (turns: number): number =>
    (rotaryDim * Math.log(yarn.originalMaxPositionEmbeddings / (turns * 2 * Math.PI))) /
    (2 * Math.log(ropeTheta));
  const first = pairOf(yarn.betaFast);
  const last = pairOf(yarn.betaSlow);
  const low = Math.max(yarn.exactRamp ? first : Math.floor(first), 0);
  const high = Math.min(yarn.exactRamp ? last : Math.ceil(last), rotaryDim - 1);
  return clamp((pair - low) / Math.max(high - low, 0.001), 0, 1);
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
