// Products of many small matrices are those of the general product, whichever way they are computed.
import assert from 'node:assert/strict';
import { scope } from '../../server/models/memory';
import * as mx from '../../server/models/ops';
import { pairedMatmul, smallMatmul } from '../../server/models/smallMatmul';
import { arrayOf, assertClose, valuesOf } from '../support/arrayValues';
import { seededIntegers } from '../support/seededRandom';

function random(shape: readonly number[], seed: number): mx.MxArray {
  const size = shape.reduce((product, n) => product * n, 1);
  return arrayOf(
    shape,
    seededIntegers(seed, size, -64, 64).map((value) => value / 64),
  );
}

describe('smallMatmul', () => {
  for (const [a, b] of [
    [
      [2, 3, 4, 5],
      [2, 3, 5, 6],
    ],
    [
      [2, 1, 4, 5],
      [2, 3, 5, 6],
    ],
    [
      [2, 3, 1, 5],
      [2, 1, 5, 1],
    ],
    [
      [2, 3, 4, 1],
      [2, 3, 1, 6],
    ],
    [
      [1, 2, 64, 64],
      [1, 2, 64, 64],
    ],
    [
      [3, 4],
      [4, 2],
    ],
  ] as const)
    it(`multiplies [${a.join(', ')}] and [${b.join(', ')}]`, () => {
      scope(() => {
        const [left, right] = [random(a, 1), random(b, 2)];
        const [actual, expected] = [smallMatmul(left, right), mx.matmul(left, right)];
        assert.deepEqual(actual.shape, expected.shape);
        assertClose(valuesOf(actual), valuesOf(expected), 1e-5);
        return undefined;
      });
    });

  it('multiplies views with their axes swapped', () => {
    scope(() => {
      const keys = random([2, 1, 5, 4], 3);
      const turned = mx.transpose(keys, 0, 1, 3, 2);
      const other = random([2, 3, 5, 6], 4);
      assertClose(valuesOf(smallMatmul(turned, other)), valuesOf(mx.matmul(turned, other)), 1e-5);
      return undefined;
    });
  });
});

describe('pairedMatmul', () => {
  for (const [n, rows, columns, inner] of [
    [1, 3, 4, 5],
    [2, 3, 3, 6],
    [7, 16, 16, 64],
    [3, 1, 5, 1],
    [4, 5, 1, 8],
    [16, 2, 3, 4],
    [17, 2, 3, 4],
  ] as const)
    it(`multiplies ${n} pairs of [${rows}, ${inner}] and [${columns}, ${inner}]`, () => {
      scope(() => {
        const [left, right] = [random([n, rows, inner], 5), random([n, columns, inner], 6)];
        const [actual, expected] = [pairedMatmul(left, right), mx.matmul(left, mx.transpose(right, 0, 2, 1))];
        assert.deepEqual(actual.shape, expected.shape);
        assertClose(valuesOf(actual), valuesOf(expected), 1e-5);
        assertClose(valuesOf(mx.add(actual, 1)), valuesOf(mx.add(expected, 1)), 1e-5);
        return undefined;
      });
    });
});
