// Grouped-query attention, with what families add to it: biases, norms per head, a gate on its outputs, scores with a
// soft limit. Takes plain sizes, never a config object. The caller brings positions and cache. Names equal the
// checkpoint's.
import type { KVCache } from './kvCache';
import type { Linear } from './linear';
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
  /** Whether q and k are normed per head before they turn. */
  readonly headNorms: boolean;
  /** Whether the q projection has a gate for each output, per head behind its query. */
  readonly outputGate?: boolean | undefined;
  /** What the products of q and k are multiplied with; headDim^-0.5 where it is left out. */
  readonly queryScale?: number | undefined;
  /** Soft limit of these scores; none where it is left out. */
  readonly attnLogitSoftcapping?: number | undefined;
}

/** What all layers that see positions alike share in one pass. */
export interface Positions {
  readonly rotate: Rotate;
  readonly mask: mx.Mask;
}

/** Rows before those of a pass that are only looked at: no pass before it gave the cache their keys and values. */
export interface SeenRows {
  /** [1, n, hidden], as the projections take them. */
  readonly rows: mx.MxArray;
  /** Rotates these rows together with those of the pass. */
  readonly rotate: Rotate;
}

export class Attention {
  readonly #scale: number;

  private constructor(
    private readonly sizes: AttentionSizes,
    readonly qProj: Linear,
    readonly kProj: Linear,
    readonly vProj: Linear,
    readonly oProj: Linear,
    readonly qNorm: mx.MxArray | undefined,
    readonly kNorm: mx.MxArray | undefined,
  ) {
    this.#scale = sizes.queryScale ?? sizes.headDim ** -0.5;
  }

  static load(weights: Weights, path: string, sizes: AttentionSizes): Attention {
    const { hiddenSize, headDim, attentionBias: bias } = sizes;
    const [wide, narrow] = [sizes.numAttentionHeads * headDim, sizes.numKeyValueHeads * headDim];
    const norm = (name: string) => (sizes.headNorms ? weights.norm(`${path}.${name}`, headDim) : undefined);
    return new Attention(
      sizes,
      weights.linear(`${path}.q_proj`, sizes.outputGate ? 2 * wide : wide, hiddenSize, { bias }),
      weights.linear(`${path}.k_proj`, narrow, hiddenSize, { bias }),
      weights.linear(`${path}.v_proj`, narrow, hiddenSize, { bias }),
      weights.linear(`${path}.o_proj`, hiddenSize, wide, { bias: sizes.outputBias }),
      norm('q_norm'),
      norm('k_norm'),
    );
  }

  /** [1, L, hidden] to the same shape; `cache` remembers the rows, after those `before` them. */
  forward(x: mx.MxArray, { rotate, mask }: Positions, cache: KVCache, before?: SeenRows): mx.MxArray {
    const { numAttentionHeads, headDim, outputGate } = this.sizes;
    const rows = x.shape[1] ?? 0;
    const seen = before ? mx.concatenate([before.rows, x], 1) : x;
    const { keys, values } = this.remember(seen, before?.rotate ?? rotate, cache);
    const asked = split(this.qProj.forward(x), rows, numAttentionHeads);
    const queries = outputGate ? mx.slice(asked, 3, 0, headDim) : asked;
    const attended = this.#attend(this.#turned(queries, rows, this.qNorm, rotate), keys, values, mask);
    const byRow = swapped(attended, rows);
    const outputs = outputGate
      ? mx.multiply(byRow, mx.sigmoid(mx.slice(asked, 3, headDim, 2 * headDim)))
      : byRow;
    return this.oProj.forward(mx.reshape(outputs, 1, rows, -1));
  }

  /** Gives `cache` the keys and values of `x` [1, L, hidden], which is all that is needed of rows that are only seen. */
  remember(x: mx.MxArray, rotate: Rotate, cache: KVCache): ReturnType<KVCache['append']> {
    const { numKeyValueHeads: heads } = this.sizes;
    const rows = x.shape[1] ?? 0;
    return cache.append(
      this.#turned(split(this.kProj.forward(x), rows, heads), rows, this.kNorm, rotate),
      swapped(split(this.vProj.forward(x), rows, heads), rows),
    );
  }

  /** What came out of `split`, normed per head (where there are norms) and rotated: [1, heads, L, D]. */
  #turned(y: mx.MxArray, rows: number, norm: mx.MxArray | undefined, rotate: Rotate): mx.MxArray {
    return rotate(swapped(norm ? mx.rmsNorm(y, norm, this.sizes.rmsNormEps) : y, rows));
  }

  #attend(q: mx.MxArray, k: mx.MxArray, v: mx.MxArray, mask: mx.Mask): mx.MxArray {
    const { attnLogitSoftcapping: cap } = this.sizes;
    if (cap === undefined) return mx.attention(q, k, v, this.#scale, mask);
    return cappedAttention(q, k, v, { scale: this.#scale, cap }, mask);
  }
}

/** [1, L, heads · width] to [1, L, heads, width], but for a single row, which needs no transposition, as `swapped`. */
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
