// The largest of very many values, as in a row over a vocabulary. A partition of all of them would move each value and
// an index beside it; this one looks only into the chunks whose maxima are largest.
import { core } from './binding';
import { largest, valuesAt } from './gather';
import { track } from './memory';
import type { MxArray } from './mlxCore';
import { add, concatenate, constant, reshape, slice } from './ops';

/** To gather a value and partition it takes so many times as long as to partition one that lies in place. */
const GATHERING = 4;
/** Narrower chunks would leave too much to partition. */
const MIN_WIDTH = 4;

/**
 * Indices of the `count` largest values of each row of `a` [rows, n], uint32 [rows, count], in no particular order.
 * Exact: each of them is in one of the `count` chunks with the largest maxima, or equals as many values there.
 */
export function largestOfMany(a: MxArray, count: number): MxArray {
  const [rows = 0, size = 0] = a.shape;
  // As much work for the maxima, size / width of them, as for the count · width values of the chosen chunks.
  const width = Math.floor(Math.sqrt(size / (GATHERING * count)));
  if (width < MIN_WIDTH) return largest(a, count);
  const chunks = Math.floor(size / width);
  const whole = width * chunks;
  // A chunk is every `chunks`-th value: maxima of rows below each other are a vector operation, those along a row not.
  const inChunks = reshape(whole < size ? slice(a, 1, 0, whole) : a, rows, width, chunks);
  const chosen = largest(track(core.max(inChunks, 1, false)), count);
  const offsets = constant(
    Array.from({ length: width }, (_, i) => i * chunks),
    chosen.dtype,
  );
  const candidates = reshape(add(reshape(chosen, rows, count, 1), offsets), rows, count * width);
  const rest = Array.from({ length: size - whole }, (_, i) => whole + i);
  const all =
    rest.length > 0
      ? concatenate([candidates, constant(Array<number[]>(rows).fill(rest), chosen.dtype)], 1)
      : candidates;
  return valuesAt(all, largest(valuesAt(a, all), count));
}
