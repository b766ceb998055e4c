// The largest of very many values, as in a row over a vocabulary. A partition of all of them would move each value and
// an index beside it; this one looks only into the chunks whose maxima are largest.
import { core } from './binding';
import { largest, valuesAt } from './gather';
import { track } from './memory';
import type { MxArray } from './mlxCore';
import { add, concatenate, constant, multiply, reshape, slice } from './ops';

const WIDTH = 64;

/**
 * Indices of the `count` largest values of each row of `a` [rows, n], uint32 [rows, count], in no particular order.
 * Exact: each of them is in one of the `count` chunks with the largest maxima, or equals as many values there.
 */
export function largestOfMany(a: MxArray, count: number): MxArray {
  const [rows = 0, size = 0] = a.shape;
  const chunks = Math.floor(size / WIDTH);
  // With so few chunks nothing would be left out.
  if (chunks < 2 * count) return largest(a, count);
  const whole = chunks * WIDTH;
  const inChunks = reshape(whole < size ? slice(a, 1, 0, whole) : a, rows, chunks, WIDTH);
  const chosen = largest(track(core.max(inChunks, -1, false)), count);
  const firsts = multiply(reshape(chosen, rows, count, 1), constant(WIDTH, chosen.dtype));
  const offsets = constant([...Array(WIDTH).keys()], chosen.dtype);
  const candidates = reshape(add(firsts, offsets), rows, count * WIDTH);
  const rest = Array.from({ length: size - whole }, (_, i) => whole + i);
  const all =
    rest.length > 0
      ? concatenate([candidates, constant(Array<number[]>(rows).fill(rest), chosen.dtype)], 1)
      : candidates;
  return valuesAt(all, largest(valuesAt(a, all), count));
}
