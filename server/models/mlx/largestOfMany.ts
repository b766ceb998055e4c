// The largest of very many values, such as the logits of a whole vocabulary, without sorting or partitioning all of them.
import * as mx from './ops';

/** Gathering a value and partitioning it takes this many times as long as partitioning one in place. */
const GATHERING = 4;
/** Narrower chunks would leave too much to partition. */
const MIN_WIDTH = 4;

/**
 * Indices of the `count` largest of very many values along the last axis of `a` [rows, n], as over a vocabulary: uint32
 * [rows, count], in no particular order. A partition of all of them would move each value and an index beside it; this
 * one looks only into the chunks whose maxima are largest. Exact: each of the values is in one of the `count` chunks
 * with the largest maxima, or equals as many values there.
 */
export function largestOfMany(a: mx.MxArray, count: number): mx.MxArray {
  const [rows = 0, size = 0] = a.shape;
  // As much work for the maxima, size / width of them, as for the count · width values of the chosen chunks.
  const width = Math.floor(Math.sqrt(size / (GATHERING * count)));
  if (width < MIN_WIDTH) return mx.largest(a, count);
  const chunks = Math.floor(size / width);
  const whole = width * chunks;
  // A chunk is every `chunks`-th value: maxima across rows are a vector operation, those along a row are not.
  const inChunks = mx.reshape(whole < size ? mx.slice(a, 1, 0, whole) : a, rows, width, chunks);
  const chosen = mx.largest(mx.largestAlong(inChunks, 1), count);
  const offsets = mx.constant(
    Array.from({ length: width }, (_, i) => i * chunks),
    chosen.dtype,
  );
  const candidates = mx.reshape(mx.add(mx.reshape(chosen, rows, count, 1), offsets), rows, count * width);
  const rest = Array.from({ length: size - whole }, (_, i) => whole + i);
  const all =
    rest.length > 0
      ? mx.concatenate([candidates, mx.constant(Array<number[]>(rows).fill(rest), chosen.dtype)], 1)
      : candidates;
  return mx.valuesAt(all, mx.largest(mx.valuesAt(a, all), count));
}
