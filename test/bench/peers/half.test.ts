// 16-bit numbers, against the definition: the nearest of all halves, the even one of two.
import assert from 'node:assert/strict';
import { halfBits, halfValue } from '../../../bench/peers/half';
import { bitsTensor, tensorValues } from '../../support/fileTensor';
import { seededRandom } from '../../support/seededRandom';

const LARGEST = 0x7bff;
const INFINITY = 0x7c00;
const patterns = Array.from({ length: 0x10000 }, (_, pattern) => pattern);
/** All halves from 0 on; after the largest comes what would be the next. */
const positive = patterns.slice(0, INFINITY).map(halfValue).concat(65536);

describe('half', () => {
  it('has the value of every pattern, as the other implementation of these tests has', () => {
    assert.deepEqual(patterns.map(halfValue), tensorValues(bitsTensor([patterns.length], patterns, 'F16')));
  });

  it('gives every number back its pattern', () => {
    for (const pattern of patterns.filter((each) => !Number.isNaN(halfValue(each))))
      assert.equal(halfBits(halfValue(pattern)), pattern);
  });

  it('rounds what lies between two halves to the nearer one, and the middle to the even one', () => {
    for (const [pattern, value] of positive.slice(0, -1).entries()) {
      const next = positive[pattern + 1] ?? NaN;
      const middle = (value + next) / 2;
      const even = pattern % 2 === 0 ? pattern : pattern + 1;
      const step = (next - value) / 1024;
      const found = [middle - step, middle, middle + step].map(halfBits);
      assert.deepEqual(found, [pattern, even, pattern + 1], `after ${value}`);
      assert.equal(halfBits(-middle), 0x8000 | even);
    }
  });

  it('makes infinity of what is too large, and keeps signs, infinities and the absence of a number', () => {
    assert.equal(halfBits(65519.9), LARGEST);
    assert.deepEqual([65520, 1e6, 1e300, Infinity].map(halfBits), Array(4).fill(INFINITY));
    assert.deepEqual([-0, -1e-9, -Infinity].map(halfBits), [0x8000, 0x8000, 0x8000 | INFINITY]);
    assert.ok(Number.isNaN(halfValue(halfBits(NaN))));
  });

  it('is off by at most 1/2048 of a normal number', () => {
    const random = seededRandom(7);
    for (let i = 0; i < 20_000; i++) {
      const value = (random() + 1) * 2 ** (Math.floor(random() * 29) - 14);
      assert.ok(Math.abs(halfValue(halfBits(value)) - value) <= value / 2048, String(value));
    }
  });
});
