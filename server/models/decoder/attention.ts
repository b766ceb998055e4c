// Grouped-query attention, with what families add to it: biases, norms per head, a gate on its outputs, a soft cap on
// scores. Takes plain sizes, never a config object. The caller brings positions and cache: what needs neither is apart
// from what does, so that it can be compiled. Names equal the checkpoint's.
import type { CachedRows } from './kvCache';
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
  /** Whether the output projection does. */
  readonly outputBias: boolean;
  /** Whether q and k are normed per head before they are rotated. */
  readonly headNorms: boolean;
  /** Whether values are normed per head too, without weights. */
  readonly valueNorm?: boolean | undefined;
  /** Whether the output of the k projection serves as values too; there is no v projection then. */
  readonly keysAsValues?: boolean | undefined;
  /** Whether the q projection has a gate for each output, per head after its query. */
  readonly outputGate?: boolean | undefined;
  /** The scale of the products of q and k; headDim^-0.5 by default. */
  readonly attentionScale?: number | undefined;
  /** Soft cap of these scores; none by default. */
  readonly attnLogitSoftcapping?: number | undefined;
}

/** What all layers that treat positions alike share in one pass. */
export interface Positions {
  readonly rotate: Rotate;
  readonly mask: mx.Mask;
  /** What queries are multiplied with, [rows, 1]; undefined for 1. */
  readonly scale?: mx.MxArray | undefined;
}

/** A query at position p is multiplied with 1 + beta · log(1 + floor(p / original)), as in Llama 4. */
export interface QueryScaling {
  readonly beta: number;
  readonly originalMaxPositionEmbeddings: number;
}

/** For `rows` positions from `offset` on. */
export function queryScales(
  { beta, originalMaxPositionEmbeddings: original }: QueryScaling,
  offset: number,
  rows: number,
  dtype: mx.Dtype,
): mx.MxArray | undefined {
  if (offset + rows <= original) return undefined;
  const scaleAt = (position: number): number => 1 + beta * Math.log1p(Math.floor(position / original));
  return mx.constant(
    Array.from({ length: rows }, (_, i) => [scaleAt(offset + i)]),
    dtype,
  );
}

/** Queries, or what they attended to; and their gates, if there are any. */
export type GatedQueries = [queries: mx.MxArray, ...gates: mx.MxArray[]];
type KeysValues = [keys: mx.MxArray, values: mx.MxArray];

/** What attention prepares. */
export type PreparedAttention = [...KeysValues, ...GatedQueries];

/** Attention without keys and values of its own. */
export interface Queries {
  /** [1, rows, hidden] to queries [1, heads, rows, headDim] that are not rotated yet, and their gates, if there are any. */
  queries(this: void, x: mx.MxArray, rows: number): GatedQueries;
  /** Puts what they see of `seen` in the place of the queries: [1, heads, rows, headDim]. */
  attend(this: void, asked: GatedQueries, positions: Positions, seen: CachedRows): GatedQueries;
  /** The output of that, [1, rows, hidden]. */
  oProj(this: void, attended: GatedQueries, rows: number): mx.MxArray;
}

export interface Attention extends Queries {
  /** [1, rows, hidden] to keys and values [1, heads, rows, headDim]; the keys are not rotated yet. */
  keysValues(this: void, x: mx.MxArray, rows: number): KeysValues;
}

/** Takes the tensors under `path`. */
export function loadAttention(weights: Weights, path: string, sizes: AttentionSizes): Attention {
  const { hiddenSize, headDim, numKeyValueHeads, attentionBias: bias } = sizes;
  const queries = loadQueries(weights, path, sizes);
  const project = (name: string) =>
    weights.linear(`${path}.${name}`, numKeyValueHeads * headDim, hiddenSize, { bias });
  const kProj = project('k_proj');
  const vProj = sizes.keysAsValues ? undefined : project('v_proj');
  const normedKeys = perHead(weights, `${path}.k_norm`, sizes);
  const ones = sizes.valueNorm && weights.constant(Array<number>(headDim).fill(1));
  return {
    ...queries,
    keysValues(x, rows) {
      const keys = split(kProj.forward(x), rows, numKeyValueHeads);
      const values = vProj ? split(vProj.forward(x), rows, numKeyValueHeads) : keys;
      const normed = ones ? mx.rmsNorm(values, ones, sizes.rmsNormEps) : values;
      return [swapped(normedKeys(keys), rows), swapped(normed, rows)];
    },
  };
}

/** Takes the tensors of queries and outputs under `path`. */
export function loadQueries(weights: Weights, path: string, sizes: AttentionSizes): Queries {
  const { hiddenSize, headDim, numAttentionHeads, attentionBias: bias, outputGate } = sizes;
  const { attentionScale: scale = headDim ** -0.5, attnLogitSoftcapping: cap } = sizes;
  const wide = numAttentionHeads * headDim;
  const qProj = weights.linear(`${path}.q_proj`, outputGate ? 2 * wide : wide, hiddenSize, { bias });
  const oProj = weights.linear(`${path}.o_proj`, hiddenSize, wide, { bias: sizes.outputBias });
  const normedQueries = perHead(weights, `${path}.q_norm`, sizes);
  return {
    queries(x, rows) {
      const asked = split(qProj.forward(x), rows, numAttentionHeads);
      if (!outputGate) return [swapped(normedQueries(asked), rows)];
      const queries = normedQueries(mx.slice(asked, 3, 0, headDim));
      return [swapped(queries, rows), mx.sigmoid(mx.slice(asked, 3, headDim, 2 * headDim))];
    },
    attend([queries, ...gates], { rotate, mask, scale: growth }, { keys, values }) {
      const rotated = rotate(queries);
      const scaled = growth ? mx.multiply(rotated, growth) : rotated;
      const attended =
        cap === undefined
          ? mx.attention(scaled, keys, values, scale, mask)
          : cappedAttention(scaled, keys, values, { scale, cap }, mask);
      return [attended, ...gates];
    },
    oProj([attended, gate], rows) {
      const byRow = swapped(attended, rows);
      return oProj.forward(mx.reshape(gate ? mx.multiply(byRow, gate) : byRow, 1, rows, -1));
    },
  };
}

/** The output of `split`, normed per head if there are norms. */
function perHead(weights: Weights, path: string, { headNorms, headDim, rmsNormEps }: AttentionSizes) {
  const norm = headNorms ? weights.norm(path, headDim) : undefined;
  return (y: mx.MxArray): mx.MxArray => (norm ? mx.rmsNorm(y, norm, rmsNormEps) : y);
}

/** [1, L, heads · width] to [1, L, heads, width]; a single row needs no transposition and comes out as if `swapped`. */
function split(x: mx.MxArray, rows: number, heads: number): mx.MxArray {
  return rows === 1 ? mx.reshape(x, 1, heads, 1, -1) : mx.reshape(x, 1, rows, heads, -1);
}

/** [1, L, heads, width] to [1, heads, L, width], and back. */
function swapped(y: mx.MxArray, rows: number): mx.MxArray {
  return rows === 1 ? y : mx.transpose(y, 0, 2, 1, 3);
}

/** cap · tanh(x / cap); `x` itself without a cap. */
export function softCap(x: mx.MxArray, cap: number | undefined): mx.MxArray {
  return cap === undefined ? x : mx.multiply(mx.tanh(mx.multiply(x, 1 / cap)), cap);
}

/**
 * softmax(softCap(q·kᵀ·scale) + mask)·v for q [1, H, L, D] and k, v [1, Hkv, S, D], with H a multiple of Hkv, and a
 * mask [L, S]. No native kernel does this.
 */
function cappedAttention(
  q: mx.MxArray,
  k: mx.MxArray,
  v: mx.MxArray,
  { scale, cap }: { readonly scale: number; readonly cap: number },
  mask: mx.Mask,
): mx.MxArray {
  const [, heads = 1, rows = 1, headDim = 1] = q.shape;
  const [, groups = 1, keys = 1] = k.shape;
  const perGroup = heads / groups;
  // All queries that share keys are rows of one product.
  const queries = mx.reshape(mx.multiply(q, scale / cap), 1, groups, perGroup * rows, headDim);
  const scores = mx.multiply(mx.tanh(mx.matmul(queries, mx.transpose(k, 0, 1, 3, 2))), cap);
  const masked = mask ? mx.add(mx.reshape(scores, 1, groups, perGroup, rows, keys), mask) : scores;
  const weights = mx.reshape(mx.softmax(masked), 1, groups, perGroup * rows, keys);
  return mx.reshape(mx.matmul(weights, v), 1, heads, rows, headDim);
}
