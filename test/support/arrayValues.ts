// Arrays as JavaScript numbers, and the comparison that all numeric tests share.
// Knows nothing about models.
import assert from 'node:assert/strict';
import { scope } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';

/** Returns all values of an array, row by row. */
export function valuesOf(array: mx.MxArray): number[] {
  return scope(() => mx.numbers(mx.reshape(array, -1)));
}

/** Creates a float32 array of `shape`; call inside a scope. */
export function arrayOf(shape: readonly number[], values: readonly number[]): mx.MxArray {
  return mx.reshape(mx.array(values, mx.float32), ...shape);
}

/** Creates the [size, size] identity: a product with it reads the weights of a linear layer without rounding. */
export function identity(size: number): mx.MxArray {
  const ones = Array.from({ length: size * size }, (_, i) => (i % (size + 1) === 0 ? 1 : 0));
  return arrayOf([size, size], ones);
}

/** Returns rows [from, to) of a table with `width` columns. */
export function rowsOf(values: readonly number[], width: number, from: number, to: number): number[] {
  return values.slice(from * width, to * width);
}

/** Asserts that each value differs by at most `tolerance`: absolutely or, beyond 1, relatively. */
export function assertClose(
  actual: readonly number[],
  expected: readonly number[],
  tolerance: number,
  what = 'the values',
): void {
  assert.equal(actual.length, expected.length, `the number of ${what}`);
  assert.notEqual(actual.length, 0, `the number of ${what}`);
  let greatest = 0;
  let at = 0;
  for (const [i, value] of actual.entries()) {
    const difference = distance(value, expected[i] ?? NaN);
    if (difference > greatest) {
      greatest = difference;
      at = i;
    }
  }
  const seen = `greatest difference ${greatest.toExponential(2)} at ${at}: ${actual[at]}, not ${expected[at]}`;
  assert.ok(greatest <= tolerance, `${what}: ${seen}`);
}

function distance(a: number, b: number): number {
  if (a === b) return 0;
  const difference = Math.abs(a - b) / Math.max(1, Math.abs(b));
  return Number.isNaN(difference) ? Infinity : difference;
}
