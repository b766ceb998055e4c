// Grouped-query attention with the variations of the families: biases, norms per head, a gate on its outputs, a soft
// cap on scores. Targets and drafters use it. Parts that need no positions and no cache are separate functions, so that
// they can be compiled. Projections are named as in the checkpoint.
import * as mx from '../mlx/ops';
import type { Rotate } from './rope';
import type { Weights } from '../checkpoint/weights';

export interface AttentionSizes {
  readonly hiddenSize: number;
  readonly numAttentionHeads: number;
  readonly numKeyValueHeads: number;
  readonly headDim: number;
  readonly rmsNormEps: number;
  /** Whether the q, k and v projections add a bias. */
  readonly attentionBias: boolean;
  /** Whether the output projection adds a bias. */
  readonly outputBias: boolean;
  /** Whether q and k have a norm per head before they are rotated. */
  readonly headNorms: boolean;
  /** Whether values have a norm per head too, without weights. */
  readonly valueNorm?: boolean | undefined;
  /** Whether the output of the k projection also serves as values; there is no v projection then. */
  readonly keysAsValues?: boolean | undefined;
  /** Whether the q projection also has a gate for each output: per head, after its query. */
  readonly outputGate?: boolean | undefined;
  /** Scale of the products of q and k; headDim^-0.5 by default. */
  readonly attentionScale?: number | undefined;
  /** Soft cap of the scaled products; none by default. */
  readonly attnLogitSoftcapping?: number | undefined;
}

/** The positions of a pass, shared by all layers with the same rotation and window. */
export interface Positions {
  readonly rotate: Rotate;
  readonly mask: mx.Mask;
  /** Factor of the queries, [rows, 1]; undefined for 1. */
  readonly scale?: mx.MxArray | undefined;
}

/** Scales a query at position p by 1 + beta · log(1 + floor(p / original)), as in Llama 4. */
export interface QueryScaling {
  readonly beta: number;
  readonly originalMaxPositionEmbeddings: number;
}

/** Returns the factors [rows, 1] of queries at `rows` positions from `offset` on; undefined if all are 1. */
export function queryScales(
  { beta, originalMaxPositionEmbeddings: original }: QueryScaling,
  offset: number,
  rows: number,
  dtype: mx.Dtype,
): mx.MxArray | undefined {
  if (offset + rows <= original) return undefined;
  const scaleAt = (position: number): number => 1 + beta * Math.log1p(Math.floor(position / original));
  return mx.array(
    Array.from({ length: rows }, (_, i) => [scaleAt(offset + i)]),
    dtype,
  );
}

/**
 * Queries [1, heads, rows, headDim], and their gates if there are any. Gates are [1, rows, heads, headDim], or
 * [1, heads, 1, headDim] for a single row. After attention, its outputs take the place of the queries.
 */
export type GatedQueries = [queries: mx.MxArray, ...gates: mx.MxArray[]];
type KeysValues = [keys: mx.MxArray, values: mx.MxArray];

/** Keys, values and queries of rows, ready for the cache. */
export type PreparedAttention = [...KeysValues, ...GatedQueries];

/** Attention that uses the keys and values of another layer. */
export interface Queries {
  /** Projects [1, rows, hidden] to queries [1, heads, rows, headDim], not rotated yet, and their gates. */
  queries(this: void, x: mx.MxArray, rows: number): GatedQueries;
  /** Attends to `seen` and returns the outputs [1, heads, rows, headDim] in place of the queries. */
  attend(this: void, queries: GatedQueries, positions: Positions, seen: mx.KeysValues): GatedQueries;
  /** Applies gates and output projection: [1, rows, hidden]. */
  oProj(this: void, attended: GatedQueries, rows: number): mx.MxArray;
}

export interface Attention extends Queries {
  /** Projects [1, rows, hidden] to keys and values [1, heads, rows, headDim]; the keys are not rotated yet. */
  keysValues(this: void, x: mx.MxArray, rows: number): KeysValues;
}

/** Loads the attention at `path`. */
export function loadAttention(weights: Weights, path: string, sizes: AttentionSizes): Attention {
  const { hiddenSize, headDim, numKeyValueHeads, attentionBias: bias } = sizes;
  const queries = loadQueries(weights, path, sizes);
  const project = (name: string) =>
    weights.linear(`${path}.${name}`, numKeyValueHeads * headDim, hiddenSize, { bias });
  const kProj = project('k_proj');
  const vProj = sizes.keysAsValues ? undefined : project('v_proj');
  const normedKeys = loadHeadNorm(weights, `${path}.k_norm`, sizes);
  const ones = sizes.valueNorm && weights.constant(Array<number>(headDim).fill(1));
  return {
    ...queries,
    keysValues(x, rows) {
      const keys = split(kProj.forward(x), rows, numKeyValueHeads);
      const values = vProj ? split(vProj.forward(x), rows, numKeyValueHeads) : keys;
      const normed = ones ? mx.rmsNorm(values, ones, sizes.rmsNormEps) : values;
      return [swapHeadsAndRows(normedKeys(keys), rows), swapHeadsAndRows(normed, rows)];
    },
  };
}

/** Loads queries and output projection at `path`. */
export function loadQueries(weights: Weights, path: string, sizes: AttentionSizes): Queries {
  const { hiddenSize, headDim, numAttentionHeads, attentionBias: bias, outputGate } = sizes;
  const { attentionScale: scale = headDim ** -0.5, attnLogitSoftcapping: cap } = sizes;
  const qWidth = numAttentionHeads * headDim;
  const qProj = weights.linear(`${path}.q_proj`, outputGate ? 2 * qWidth : qWidth, hiddenSize, { bias });
  const oProj = weights.linear(`${path}.o_proj`, hiddenSize, qWidth, { bias: sizes.outputBias });
  const normedQueries = loadHeadNorm(weights, `${path}.q_norm`, sizes);
  return {
    queries(x, rows) {
      const projected = split(qProj.forward(x), rows, numAttentionHeads);
      if (!outputGate) return [swapHeadsAndRows(normedQueries(projected), rows)];
      const queries = normedQueries(mx.slice(projected, 3, 0, headDim));
      return [swapHeadsAndRows(queries, rows), mx.sigmoid(mx.slice(projected, 3, headDim, 2 * headDim))];
    },
    attend([queries, ...gates], { rotate, mask, scale: positionScale }, seen) {
      const rotated = rotate(queries);
      const scaled = positionScale ? mx.multiply(rotated, positionScale) : rotated;
      const attended =
        cap === undefined
          ? mx.scaledDotProductAttention(scaled, seen, scale, mask)
          : cappedAttention(scaled, seen, { scale, cap }, mask);
      return [attended, ...gates];
    },
    oProj([attended, gate], rows) {
      const byRow = swapHeadsAndRows(attended, rows);
      return oProj.forward(mx.reshape(gate ? mx.multiply(byRow, gate) : byRow, 1, rows, -1));
    },
  };
}

/** Loads the norm of the output of `split`; without head norms, returns the identity. */
function loadHeadNorm(weights: Weights, path: string, { headNorms, headDim, rmsNormEps }: AttentionSizes) {
  const norm = headNorms ? weights.norm(path, headDim) : undefined;
  return (y: mx.MxArray): mx.MxArray => (norm ? mx.rmsNorm(y, norm, rmsNormEps) : y);
}

/**
 * Splits [1, L, heads · width] into [1, L, heads, width]; a single row into [1, heads, 1, width], so that
 * `swapHeadsAndRows` need not transpose it.
 */
function split(x: mx.MxArray, rows: number, heads: number): mx.MxArray {
  return rows === 1 ? mx.reshape(x, 1, heads, 1, -1) : mx.reshape(x, 1, rows, heads, -1);
}

/** Transposes [1, L, heads, width] to [1, heads, L, width], and back; returns a single row unchanged. */
function swapHeadsAndRows(y: mx.MxArray, rows: number): mx.MxArray {
  return rows === 1 ? y : mx.transpose(y, 0, 2, 1, 3);
}

/**
 * Computes softmax(cap · tanh(q·kᵀ·scale / cap) + mask)·v for queries [1, H, L, D] and keys and values [1, Hkv, S, D],
 * with H a multiple of Hkv, and a mask [L, S]. No native kernel does this.
 */
function cappedAttention(
  queries: mx.MxArray,
  { keys, values }: mx.KeysValues,
  { scale, cap }: { readonly scale: number; readonly cap: number },
  mask: mx.Mask,
): mx.MxArray {
  const [, heads = 1, rows = 1, headDim = 1] = queries.shape;
  const [, groups = 1, seenRows = 1] = keys.shape;
  const perGroup = heads / groups;
  // All queries that share keys become rows of one product.
  const grouped = mx.reshape(mx.multiply(queries, scale / cap), 1, groups, perGroup * rows, headDim);
  const scores = mx.multiply(mx.tanh(mx.matmul(grouped, mx.transpose(keys, 0, 1, 3, 2))), cap);
  const masked = mask ? mx.add(mx.reshape(scores, 1, groups, perGroup, rows, seenRows), mask) : scores;
  const weights = mx.reshape(mx.softmax(masked), 1, groups, perGroup * rows, seenRows);
  return mx.reshape(mx.matmul(weights, values), 1, heads, rows, headDim);
}
