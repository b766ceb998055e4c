// The grouped dynamic convolution of DFlash 2, before and after both parts of a layer. Output row t of channel c is Σ
// over taps of (base[side, tap, c] + delta[t, side, tap, group of c]) · input[t - tap, c]. The kernel is a static base
// per channel plus a delta per group. The deltas of row t are projected from row t of the part's normed input, once for
// both sides. Rows before the block count as zero; there is no memory from block to block.
import type { PreparedAttention } from '../../decoder/attention';
import type { BlockParts } from '../../decoder/decoderBlock';
import * as mx from '../../mlx/ops';
import type { Weights } from '../../checkpoint/weights';

export interface ConvSizes {
  /** Rows that the kernel covers: the row itself and those directly before it. Not the taps of a target. */
  readonly taps: number;
  /** Number of neighbouring channels that share a delta. */
  readonly groupSize: number;
}

interface GroupedConv {
  /** Returns the deltas [rows, 2, taps, groups, 1] for the normed input [1, rows, hidden] of a part. */
  deltas(this: void, x: mx.MxArray): mx.MxArray;
  /**
   * Convolves `x` [1, rows, hidden]; the result has the same shape and type. `side` is 0 before a part of the layer and
   * 1 after it.
   */
  apply(this: void, x: mx.MxArray, deltas: mx.MxArray, side: 0 | 1): mx.MxArray;
}

/** Loads the convolution at `path`. */
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
      const kernel = selectAt(base, 0, side);
      const rowDeltas = selectAt(deltas, 1, side);
      const parts = Array.from({ length: Math.min(taps, rows) }, (_, tap) =>
        // The products are in float32, like the kernel.
        mx.multiply(mx.add(selectAt(kernel, 0, tap), selectAt(rowDeltas, 1, tap)), shiftedDown(grouped, tap)),
      );
      const sum = parts.reduce((total, part) => mx.add(total, part));
      return mx.reshape(mx.astype(sum, x.dtype), 1, rows, hiddenSize);
    },
  };
}

/** Wraps the parts of the layer at `path` so that the input and the output of each are convolved. */
export function convolved(
  weights: Weights,
  path: string,
  { conv, hiddenSize }: { readonly conv: ConvSizes; readonly hiddenSize: number },
  { mixer, feedForward }: BlockParts<PreparedAttention>,
): BlockParts<PreparedAttention> {
  const attentionConv = groupedConv(weights, `${path}.attention_conv`, conv, hiddenSize);
  const mlpConv = groupedConv(weights, `${path}.mlp_conv`, conv, hiddenSize);
  return {
    mixer: {
      // The deltas are the last of the prepared arrays, which attention passes on unchanged to `oProj`.
      prepare(x, rows, seen) {
        const deltas = attentionConv.deltas(x);
        return [...mixer.prepare(attentionConv.apply(x, deltas, 0), rows, seen), deltas];
      },
      oProj([attended, ...rest], rows) {
        const deltas = rest.pop();
        if (deltas === undefined)
          throw new TypeError('Attention dropped the deltas. It must return all arrays after the queries.');
        return attentionConv.apply(mixer.oProj([attended, ...rest], rows), deltas, 1);
      },
    },
    feedForward(x) {
      const deltas = mlpConv.deltas(x);
      return mlpConv.apply(feedForward(mlpConv.apply(x, deltas, 0)), deltas, 1);
    },
  };
}

/** Selects `index` along `axis` and removes that axis. */
function selectAt(array: mx.MxArray, axis: number, index: number): mx.MxArray {
  const shape = array.shape.filter((_, i) => i !== axis);
  return mx.reshape(mx.slice(array, axis, index, index + 1), ...shape);
}

/** Shifts `x` [rows, ..] down by `by` rows, with zeros above. */
function shiftedDown(x: mx.MxArray, by: number): mx.MxArray {
  if (by === 0) return x;
  const [rows = 0, ...rest] = x.shape;
  return mx.concatenate([mx.zeros([by, ...rest], x.dtype), mx.slice(x, 0, 0, rows - by)], 0);
}
