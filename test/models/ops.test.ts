// The operations that this adapter composes or guards, against plain JavaScript: attention with grouped heads
// and masks, in-place writing, and packed products.
import assert from 'node:assert/strict';
import { liveArrays, scope } from '../../server/models/mlx/memory';
import { windowMask } from '../../server/models/decoder/masks';
import * as mx from '../../server/models/mlx/ops';
import { core } from '../../server/models/mlx/binding';
import { arrayOf, assertClose, valuesOf } from '../support/arrayValues';
import { attended, DIM, GROUPS, HEADS } from '../support/plainAttention';
import { seededIntegers } from '../support/seededRandom';

const random = (seed: number, count: number) => seededIntegers(seed, count, -32, 32).map((k) => k / 16);

describe('ops', () => {
  let before: number;
  beforeEach(() => (before = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), before));

  for (const [rows, offset] of [
    [1, 0],
    [1, 9],
    [5, 0],
    [4, 7],
  ] as const) {
    it(`attend causally from ${rows} rows to ${offset} earlier ones and themselves`, () => {
      const keys = offset + rows;
      const [q, k, v] = [
        random(1, HEADS * rows * DIM),
        random(2, GROUPS * keys * DIM),
        random(3, GROUPS * keys * DIM),
      ];
      const actual = scope(() =>
        valuesOf(
          mx.attention(
            arrayOf([1, HEADS, rows, DIM], q),
            arrayOf([1, GROUPS, keys, DIM], k),
            arrayOf([1, GROUPS, keys, DIM], v),
            DIM ** -0.5,
            windowMask(rows, offset, Infinity, mx.float32),
          ),
        ),
      );
      const mask = Array.from({ length: rows * keys }, (_, i) =>
        i % keys <= offset + Math.floor(i / keys) ? 0 : -Infinity,
      );
      assertClose(actual, attended(q, k, v, mask), 1e-5, 'attention');
    });
  }

  it('attend everywhere without a mask', () => {
    const [q, k, v] = [random(4, HEADS * 3 * DIM), random(5, GROUPS * 6 * DIM), random(6, GROUPS * 6 * DIM)];
    const actual = scope(() =>
      valuesOf(
        mx.attention(
          arrayOf([1, HEADS, 3, DIM], q),
          arrayOf([1, GROUPS, 6, DIM], k),
          arrayOf([1, GROUPS, 6, DIM], v),
          DIM ** -0.5,
          undefined,
        ),
      ),
    );
    assertClose(actual, attended(q, k, v, Array<number>(18).fill(0)), 1e-5, 'attention');
  });

  it('write rows in place and read them back, along every axis', () => {
    scope(() => {
      for (const axis of [0, 1, 2, 3]) {
        const shape = [2, 2, 2, 2];
        shape[axis] = 5;
        const table = mx.zeros(shape, mx.float32);
        shape[axis] = 2;
        mx.assign(table, axis, 1, 1 + (shape[axis] ?? 0), arrayOf(shape, random(axis, 16)));
        assert.deepEqual(valuesOf(mx.slice(table, axis, 1, 3)), random(axis, 16));
        assert.ok(valuesOf(mx.slice(table, axis, 3, 5)).every((value) => value === 0));
      }
      return undefined;
    });
  });

  it('compute silu as x / (1 + exp(-x))', () => {
    const x = [-20, -1, 0, 0.5, 3, 30];
    const actual = scope(() => valuesOf(mx.silu(mx.constant(x, mx.float32))));
    assertClose(
      actual,
      x.map((value) => value / (1 + Math.exp(-value))),
      1e-6,
      'silu',
    );
  });

  it('compute gelu by its tanh form', () => {
    const x = [-30, -3, -1, -0.1, 0, 0.5, 2, 30];
    const actual = scope(() => valuesOf(mx.gelu(mx.constant(x, mx.float32))));
    const u = (value: number) => Math.sqrt(2 / Math.PI) * (value + 0.044715 * value ** 3);
    assertClose(
      actual,
      x.map((value) => (value / 2) * (1 + Math.tanh(u(value)))),
      1e-6,
      'gelu',
    );
  });

  it('find the first of the largest values', () => {
    const best = scope(() =>
      mx.numbers(mx.argmax(arrayOf([3, 4], [1, 5, 5, 2, -1, -1, -2, -1, 0, 0, 0, 9]))),
    );
    assert.deepEqual(best, [1, 0, 3]);
  });

  it('multiply by packed weights as by what they stand for', () => {
    for (const bits of [4, 8]) {
      scope(() => {
        const [w, s, b] = core.quantize(arrayOf([16, 512], random(7, 16 * 512)), 64, bits);
        assert.ok(w && s && b);
        const packed = { weight: w, scales: s, biases: b, groupSize: 64, bits };
        const x = arrayOf([1, 3, 512], random(8, 3 * 512));
        const dense = mx.matmul(x, mx.transpose(mx.dequantize(packed), 1, 0));
        assertClose(valuesOf(mx.quantizedMatmul(x, packed)), valuesOf(dense), 1e-4, `${bits}-bit product`);
        return undefined;
      });
    }
  });

  it('read flat arrays as numbers only', () => {
    scope(() => {
      assert.deepEqual(mx.numbers(mx.arange(3, 6)), [3, 4, 5]);
      assert.throws(() => mx.numbers(arrayOf([1, 2], [1, 2])), /one-dimensional array, got shape \[1, 2\]/);
      return undefined;
    });
  });

  it('read rows of numbers only, from views too', () => {
    scope(() => {
      const a = arrayOf([2, 3], [1, 2, 3, 4, 5, 6]);
      assert.deepEqual(mx.rows(mx.slice(a, 1, 1, 3)), [
        [2, 3],
        [5, 6],
      ]);
      assert.throws(() => mx.rows(mx.reshape(a, -1)), /two-dimensional array, got shape \[6\]/);
      assert.throws(() => mx.rows(mx.reshape(a, 2, 3, 1)), /two-dimensional array, got shape \[2, 3, 1\]/);
      return undefined;
    });
  });
});
