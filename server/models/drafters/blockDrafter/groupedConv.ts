// The grouped dynamic convolution of DFlash 2, in front of and behind both parts of a layer. Output row t of channel c is
// Σ over taps of (base[side, tap, c] + delta[t, side, tap, group of c]) · input[t - tap, c]: the kernel is static per
// channel plus a delta per group, which row t computes from the normed input of the part, once for both sides. Rows
// before the block count as zero, and nothing is remembered from block to block.
import type { PreparedAttention } from '../../decoder/attention';
import type { FeedForward, MixerEnds } from '../../decoder/decoderBlock';
import * as mx from '../../mlx/ops';
import type { Weights } from '../../checkpoint/weights';

export interface ConvSizes {
  /** How many rows it sees: the row itself and those right before it. */
  readonly taps: number;
  /** Neighbouring channels that share a delta. */
  readonly groupSize: number;
}

/** In front of a part of the layer, or behind it. */
type Side = 0 | 1;

export interface GroupedConv {
  /** Of the normed input [1, rows, hidden] of a part: [rows, 2, taps, groups, 1]. */
  deltas(this: void, x: mx.MxArray): mx.MxArray;
  /** [1, rows, hidden] to the same shape and type. */
  apply(this: void, x: mx.MxArray, deltas: mx.MxArray, side: Side): mx.MxArray;
}

/** Takes the tensors under `path`. */
function groupedConv(
  weights: Weights,
  path: string,
  { taps, groupSize }: ConvSizes,
  hiddenSize: number,
): GroupedConv {
  const groups = hiddenSize / groupSize;
  const base = weights.tensor(`${path}.base_kernel`, [2, taps, hiddenSize], (kernel) =>
    mx.reshape(kernel, 2, taps, groups, groupSize),
  );
  const projection = weights.linear(`${path}.kernel_projection`, 2 * taps * groups, hiddenSize);
  return {
    deltas: (x) => mx.reshape(projection.forward(x), x.shape[1] ?? 0, 2, taps, groups, 1),
    apply(x, deltas, side) {
      const rows = x.shape[1] ?? 0;
      const grouped = mx.reshape(x, rows, groups, groupSize);
      const kernel = at(base, 0, side);
      const own = at(deltas, 1, side);
      const parts = Array.from({ length: Math.min(taps, rows) }, (_, tap) =>
        // In float32, as the kernel is.
        mx.multiply(mx.add(at(kernel, 0, tap), at(own, 1, tap)), lowered(grouped, tap)),
      );
      const sum = parts.reduce((total, part) => mx.add(total, part));
      return mx.reshape(mx.astype(sum, x.dtype), 1, rows, hiddenSize);
    },
  };
}

/** Both parts of a layer. */
export interface BlockEnds {
  readonly attention: MixerEnds<PreparedAttention>;
  readonly mlp: FeedForward;
}

/** The parts of the layer at `path` with what goes in and comes out of each convolved. */
export function convolved(
  weights: Weights,
  path: string,
  { conv, hiddenSize }: { readonly conv: ConvSizes; readonly hiddenSize: number },
  { attention, mlp }: BlockEnds,
): BlockEnds {
  const outer = groupedConv(weights, `${path}.attention_conv`, conv, hiddenSize);
  const inner = groupedConv(weights, `${path}.mlp_conv`, conv, hiddenSize);
  return {
    attention: {
      // The deltas travel past the memory, behind what is prepared for it.
      prepare(x, rows, seen) {
        const deltas = outer.deltas(x);
        return [...attention.prepare(outer.apply(x, deltas, 0), rows, seen), deltas];
      },
      oProj([attended, ...others], rows) {
        const deltas = others.pop();
        if (deltas === undefined)
          throw new TypeError('Expected the deltas behind what was attended to, got none');
        return outer.apply(attention.oProj([attended, ...others], rows), deltas, 1);
      },
    },
    mlp: {
      forward(x) {
        const deltas = inner.deltas(x);
        return inner.apply(mlp.forward(inner.apply(x, deltas, 0)), deltas, 1);
      },
    },
  };
}

/** `array` at `index` of `axis`, which goes. */
function at(array: mx.MxArray, axis: number, index: number): mx.MxArray {
  const shape = array.shape.filter((_, i) => i !== axis);
  return mx.reshape(mx.slice(array, axis, index, index + 1), ...shape);
}

/** Each row where the one `by` later was, [rows, ..]; zeros above. */
function lowered(x: mx.MxArray, by: number): mx.MxArray {
  if (by === 0) return x;
  const [rows = 0, ...others] = x.shape;
  return mx.concatenate([mx.zeros([by, ...others], x.dtype), mx.slice(x, 0, 0, rows - by)], 0);
}
