// The largest of very many values, such as the logits of a vocabulary, without sorting or partitioning all of them.
import * as mx from './ops';

/** Time to gather a value and partition it, as a multiple of the time to partition one in place. */
const GATHERING = 4;
/** Minimum width of a chunk; narrower ones would leave too much to partition. */
const MIN_WIDTH = 4;

/**
 * Returns the indices of the `count` largest values along the last axis of `a` [rows, n], uint32 [rows, count] in no
 * particular order. Searches only the `count` chunks with the largest maxima, and the last values, which fill no
 * chunk. That is exact: these chunks have at least `count` values at or above the maximum of any other chunk.
 */
export function largestOfMany(a: mx.MxArray, count: number): mx.MxArray {
  const [rows = 0, size = 0] = a.shape;
  // Balances the size / width maxima against the count · width values of the chosen chunks.
  const width = Math.floor(Math.sqrt(size / (GATHERING * count)));
  if (width < MIN_WIDTH) return mx.largestIndices(a, count);
  const chunks = Math.floor(size / width);
  const chunkedWidth = width * chunks;
  // A chunk is every `chunks`-th value, and thus a column of [width, chunks]: maxima of columns are a vector operation,
  // those of rows are not.
  const inChunks = mx.reshape(chunkedWidth < size ? mx.slice(a, 1, 0, chunkedWidth) : a, rows, width, chunks);
  const chosen = mx.largestIndices(mx.max(inChunks, 1), count);
  const offsets = mx.array(
    Array.from({ length: width }, (_, i) => i * chunks),
    chosen.dtype,
  );
  const candidates = mx.reshape(mx.add(mx.reshape(chosen, rows, count, 1), offsets), rows, count * width);
  const rest = Array.from({ length: size - chunkedWidth }, (_, i) => chunkedWidth + i);
  const all =
    rest.length > 0
      ? mx.concatenate([candidates, mx.array(Array<number[]>(rows).fill(rest), chosen.dtype)], 1)
      : candidates;
  return mx.takeAlongAxis(all, mx.largestIndices(mx.takeAlongAxis(a, all), count));
}
