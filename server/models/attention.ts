// Grouped-query attention, with what families add to it: biases, norms per head, a gate on its outputs, a soft cap on
// scores. Takes plain sizes, never a config object. The caller brings positions and cache. Names equal the
// checkpoint's.
import type { CachedRows, KVCache } from './kvCache';
import * as mx from './ops';
import type { Rotate } from './rope';
import type { Weights } from './weights';

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
  readonly queryScale?: number | undefined;
  /** Soft cap of these scores; none by default. */
  readonly attnLogitSoftcapping?: number | undefined;
}

/** What all layers that treat positions alike share in one pass. */
export interface Positions {
  readonly rotate: Rotate;
  readonly mask: mx.Mask;
}

/** Rows before those of a pass that are only attended to: no earlier pass gave the cache their keys and values. */
export interface SeenRows {
  /** [1, n, hidden], as the projections take them. */
  readonly rows: mx.MxArray;
  /** Rotates these rows together with those of the pass. */
  readonly rotate: Rotate;
}

/** Attention without keys and values of its own. */
export interface Queries {
  /** [1, L, hidden] to the same shape; `seen` are the keys and values that these rows see. */
  readonly attend: (x: mx.MxArray, positions: Positions, seen: CachedRows) => mx.MxArray;
}

export interface Attention extends Queries {
  /** [1, L, hidden] to the same shape; `cache` remembers the rows, after those `before` them. */
  forward(x: mx.MxArray, { rotate, mask }: Positions, cache: KVCache, before?: SeenRows): mx.MxArray;
  /** Gives `cache` the keys and values of `x` [1, L, hidden], all that is needed of rows that are only attended to. */
  remember(x: mx.MxArray, rotate: Rotate, cache: KVCache): CachedRows;
}

/** Takes the tensors under `path`. */
export function loadAttention(weights: Weights, path: string, sizes: AttentionSizes): Attention {
  const { hiddenSize, headDim, numKeyValueHeads, attentionBias: bias } = sizes;
  const { attend } = loadQueries(weights, path, sizes);
  const project = (name: string) =>
    weights.linear(`${path}.${name}`, numKeyValueHeads * headDim, hiddenSize, { bias });
  const kProj = project('k_proj');
  const vProj = sizes.keysAsValues ? undefined : project('v_proj');
  const turnedKeys = turning(weights, `${path}.k_norm`, sizes);
  const ones = sizes.valueNorm && weights.constant(Array<number>(headDim).fill(1));

  const remember: Attention['remember'] = (x, rotate, cache) => {
    const rows = x.shape[1] ?? 0;
    const keys = split(kProj.forward(x), rows, numKeyValueHeads);
    const values = vProj ? split(vProj.forward(x), rows, numKeyValueHeads) : keys;
    const normed = ones ? mx.rmsNorm(values, ones, sizes.rmsNormEps) : values;
    return cache.append(turnedKeys(keys, rows, rotate), swapped(normed, rows));
  };

  return {
    remember,
    attend,
    forward(x, positions, cache, before) {
      const all = before ? mx.concatenate([before.rows, x], 1) : x;
      return attend(x, positions, remember(all, before?.rotate ?? positions.rotate, cache));
    },
  };
}

/** Takes the tensors of queries and outputs under `path`. */
export function loadQueries(weights: Weights, path: string, sizes: AttentionSizes): Queries {
  const { hiddenSize, headDim, numAttentionHeads, attentionBias: bias, outputGate } = sizes;
  const { queryScale: scale = headDim ** -0.5, attnLogitSoftcapping: cap } = sizes;
  const wide = numAttentionHeads * headDim;
  const qProj = weights.linear(`${path}.q_proj`, outputGate ? 2 * wide : wide, hiddenSize, { bias });
  const oProj = weights.linear(`${path}.o_proj`, hiddenSize, wide, { bias: sizes.outputBias });
  const turnedQueries = turning(weights, `${path}.q_norm`, sizes);
  return {
    attend(x, { rotate, mask }, { keys, values }) {
      const rows = x.shape[1] ?? 0;
      const asked = split(qProj.forward(x), rows, numAttentionHeads);
      const queries = turnedQueries(outputGate ? mx.slice(asked, 3, 0, headDim) : asked, rows, rotate);
      const attended =
        cap === undefined
          ? mx.attention(queries, keys, values, scale, mask)
          : cappedAttention(queries, keys, values, { scale, cap }, mask);
      const byRow = swapped(attended, rows);
      const outputs = outputGate
        ? mx.multiply(byRow, mx.sigmoid(mx.slice(asked, 3, headDim, 2 * headDim)))
        : byRow;
      return oProj.forward(mx.reshape(outputs, 1, rows, -1));
    },
  };
}

/** The output of `split`, normed per head (if there are norms) and rotated: [1, heads, L, D]. */
function turning(weights: Weights, path: string, { headNorms, headDim, rmsNormEps }: AttentionSizes) {
  const norm = headNorms ? weights.norm(path, headDim) : undefined;
  return (y: mx.MxArray, rows: number, rotate: Rotate): mx.MxArray =>
    rotate(swapped(norm ? mx.rmsNorm(y, norm, rmsNormEps) : y, rows));
}

/** [1, L, heads · width] to [1, L, heads, width]; a single row needs no transposition and comes out as if `swapped`. */
function split(x: mx.MxArray, rows: number, heads: number): mx.MxArray {
  return rows === 1 ? mx.reshape(x, 1, heads, 1, -1) : mx.reshape(x, 1, rows, heads, -1);
}

/** [1, L, heads, width] to [1, heads, L, width], and back. */
function swapped(y: mx.MxArray, rows: number): mx.MxArray {
  return rows === 1 ? y : mx.transpose(y, 0, 2, 1, 3);
}

/** Where soft caps are used: cap · tanh(x / cap). */
export function softCap(x: mx.MxArray, cap: number): mx.MxArray {
  return mx.multiply(mx.tanh(mx.multiply(x, 1 / cap)), cap);
}

/**
 * softmax(softCap(q·kᵀ·scale) + mask)·v for q [1, H, L, D] and k, v [1, Hkv, S, D], with H a multiple of Hkv, and a
 * mask in numbers, [L, S]. No native kernel does this.
 */
export function cappedAttention(
  q: mx.MxArray,
  k: mx.MxArray,
  v: mx.MxArray,
  { scale, cap }: { readonly scale: number; readonly cap: number },
  mask: mx.Mask,
): mx.MxArray {
  if (mask === 'causal') throw new TypeError('Expected a mask in numbers, got a word');
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
