// q8_0 blocks, decoded by hand.
import assert from 'node:assert/strict';
import { quantiseQ8 } from '../../../bench/peers/quantiseQ8';
import { bitsTensor, tensorValues } from '../../support/fileTensor';
import { seededRandom } from '../../support/seededRandom';

const random = seededRandom(11);
/** Blocks of very different sizes. */
const VALUES = Float32Array.from(
  { length: 32 * 200 },
  (_, i) => (random() - 0.5) * 2 ** -(Math.floor(i / 32) % 12),
);

function decode(bytes: Uint8Array): number[] {
  const data = Buffer.from(bytes);
  return Array.from({ length: bytes.length / 34 }, (_, block) => {
    const [scale = NaN] = tensorValues(bitsTensor([1], [data.readUInt16LE(34 * block)], 'F16'));
    return Array.from({ length: 32 }, (_, i) => scale * data.readInt8(34 * block + 2 + i));
  }).flat();
}

describe('quantiseQ8', () => {
  it('is off by at most half a step and the rounding of the scale', () => {
    const bytes = quantiseQ8(VALUES);
    assert.equal(bytes.length, 34 * 200);
    const found = decode(bytes);
    for (let at = 0; at < VALUES.length; at += 32) {
      const block = [...VALUES.subarray(at, at + 32)];
      const most = Math.max(...block.map(Math.abs));
      const scale = most / 127;
      // Scales that are no normal halves are multiples of 2^-24.
      const bound = scale / 2 + 127 * Math.max(scale / 2048, 2 ** -25);
      for (const [i, value] of block.entries())
        assert.ok(Math.abs((found[at + i] ?? NaN) - value) <= bound, `value ${at + i}`);
    }
  });

  it('keeps multiples of a step, the largest of them 127 or -127', () => {
    for (const sign of [1, -1]) {
      const values = Float32Array.from({ length: 32 }, (_, i) => (sign * (i * 4 + 3)) / 1024);
      assert.deepEqual(decode(quantiseQ8(values)), [...values]);
    }
  });

  it('keeps zeros', () => {
    assert.deepEqual(quantiseQ8(new Float32Array(64)), new Uint8Array(68));
  });

  it('takes only whole blocks', () => {
    assert.throws(() => quantiseQ8(new Float32Array(33)), /multiple of 32/);
  });
});
