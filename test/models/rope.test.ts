// Rotary embeddings against the textbook formula in double precision, on both code paths, near the beginning and far
// from it. The frequencies have tests of their own.
import assert from 'node:assert/strict';
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import type { Device } from '../../server/models/mlx/device';
import { scope } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';
import { newRope } from '../../server/models/decoder/rope';
import { parseRope } from '../../server/models/decoder/ropeConfig';
import { arrayOf, assertClose, valuesOf } from '../support/arrayValues';
import { cpu } from '../support/cpu';
import { seededIntegers } from '../support/seededRandom';
import { readWeights } from '../support/weightsReading';

const HEADS = 2;
const ROWS = 3;
const DIM = 16;
const THETA = 1e4;
/** On the CPU this takes the kernel that a GPU has. */
const kernel: Device = { ...cpu, name: 'gpu' };

const YARN = { rope_type: 'yarn', factor: 8, original_max_position_embeddings: 64 };

/** Angle per position of each pair, after the YaRN paper: a ramp between kept and divided frequencies. */
function yarnFrequencies(fast: number, slow: number): number[] {
  const pairOf = (turns: number) => (DIM * Math.log(64 / (turns * 2 * Math.PI))) / (2 * Math.log(THETA));
  const [low, high] = [Math.max(0, Math.floor(pairOf(fast))), Math.min(DIM - 1, Math.ceil(pairOf(slow)))];
  return plainFrequencies().map((frequency, pair) => {
    const share = Math.min(1, Math.max(0, (pair - low) / (high - low || 0.001)));
    return (
      frequency / 8 ** Math.sign(share) + (share < 1 && share > 0 ? (1 - share) * frequency * (7 / 8) : 0)
    );
  });
}

function plainFrequencies(): number[] {
  return Array.from({ length: DIM / 2 }, (_, pair) => THETA ** (-(2 * pair) / DIM));
}

/** Turns pair (i, i + half) of each row by position · frequency, and leaves what follows the pairs. */
function rotated(values: readonly number[], offset: number, frequencies: readonly number[], scale: number) {
  const half = frequencies.length;
  return values.map((value, i) => {
    const at = i % DIM;
    if (at >= 2 * half) return value;
    const position = offset + (Math.floor(i / DIM) % ROWS);
    const angle = position * (frequencies[at % half] ?? NaN);
    const partner = at < half ? -(values[i + half] ?? NaN) : (values[i - half] ?? NaN);
    return scale * (value * Math.cos(angle) + partner * Math.sin(angle));
  });
}

async function assertRotates(
  config: Readonly<Record<string, unknown>>,
  device: Device,
  frequencies: readonly number[],
  scale = 1,
): Promise<void> {
  const values = seededIntegers(1, HEADS * ROWS * DIM, -64, 64).map((k) => k / 32);
  const parsed = parseRope(new ConfigFields('config.json', config), DIM);
  await readWeights({ config: {}, tensors: {} }, device, (weights) => {
    const rotateAt = newRope(parsed, device, weights);
    for (const offset of [0, 1, 63, 500, 4000]) {
      const actual = scope(() => {
        const rotate = rotateAt(offset, ROWS);
        return valuesOf(rotate(arrayOf([1, HEADS, ROWS, DIM], values)));
      });
      // Float32 angles lose precision far from the beginning.
      const tolerance = 1e-6 + offset * 3e-7;
      assertClose(actual, rotated(values, offset, frequencies, scale), tolerance, `rows from ${offset}`);
    }
  });
}

describe('rotary embeddings', () => {
  it('turn each pair by its frequency', () => assertRotates({ rope_theta: THETA }, cpu, plainFrequencies()));

  it('turn the same with the kernel', () => assertRotates({ rope_theta: THETA }, kernel, plainFrequencies()));

  for (const device of [cpu, kernel]) {
    it(`stretch slow pairs and scale under YaRN (${device.name})`, () =>
      assertRotates(
        { rope_theta: THETA, rope_scaling: YARN },
        device,
        yarnFrequencies(32, 1),
        0.1 * Math.log(8) + 1,
      ));
  }

  for (const device of [cpu, kernel]) {
    it(`turn the first dimensions only where the file says so (${device.name})`, () =>
      assertRotates(
        { partial_rotary_factor: 0.25 },
        device,
        [0, 1].map((pair) => THETA ** (-pair / 2)),
      ));
  }

  it('turn a row on a GPU to the same numbers alone and among others', async () => {
    const values = seededIntegers(2, HEADS * ROWS * DIM, -64, 64).map((k) => k / 31);
    const config = new ConfigFields('config.json', { rope_theta: THETA, rope_scaling: YARN });
    await readWeights({ config: {}, tensors: {} }, kernel, (weights) => {
      const rotateAt = newRope(parseRope(config, DIM), kernel, weights);
      const turned = (first: number, rows: number) =>
        scope(() => {
          const all = arrayOf([1, HEADS, ROWS, DIM], values);
          return valuesOf(rotateAt(70 + first, rows)(mx.slice(all, 2, first, first + rows)));
        });
      const together = turned(0, ROWS);
      for (let row = 0; row < ROWS; row++) {
        const own = together.filter((_, i) => Math.floor(i / DIM) % ROWS === row);
        assert.deepEqual(turned(row, 1), own, `row ${row}`);
      }
    });
  });

  it('scale only what they turn', () =>
    assertRotates(
      {
        partial_rotary_factor: 0.25,
        rope_scaling: { ...YARN, factor: 1, attention_factor: 1.5 },
      },
      cpu,
      [0, 1].map((pair) => THETA ** (-pair / 2)),
      1.5,
    ));
});
