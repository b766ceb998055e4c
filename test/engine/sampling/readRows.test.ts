// Rows as they are read from the device, against plain JavaScript on all of their logits.
import assert from 'node:assert/strict';
import { readRows, type LogitRow, type RowWishes } from '../../../server/engine/sampling/readRows';
import { core } from '../../../server/models/mlx/binding';
import { dispose, liveArrays, scope, evaluateAsync, track } from '../../../server/models/mlx/memory';
import type * as mx from '../../../server/models/mlx/ops';
import { arrayOf, assertClose } from '../../support/arrayValues';
import { largestFirst } from '../../support/largestFirst';
import { seededRandom } from '../../support/seededRandom';

/** Random logits, rounded to what bfloat16 holds. */
function randomRows(seed: number, rows: number, vocabSize: number): number[][] {
  const random = seededRandom(seed);
  const rounded = (value: number): number => {
    const bits = new Uint32Array(Float32Array.of(value).buffer);
    bits[0] = ((bits[0] ?? 0) & 0xffff0000) >>> 0;
    return new Float32Array(bits.buffer)[0] ?? NaN;
  };
  return Array.from({ length: rows }, () =>
    Array.from({ length: vocabSize }, () => rounded(24 * random() ** 2 - 8)),
  );
}

async function withRows(
  logits: readonly (readonly number[])[],
  wishes: RowWishes,
  check: (rows: readonly LogitRow[]) => void,
  cast: (array: mx.MxArray) => mx.MxArray = (array) => array,
): Promise<void> {
  const before = liveArrays();
  const pending = scope(() => {
    const array = arrayOf([1, logits.length, logits[0]?.length ?? 0], logits.flat());
    return readRows(cast(array), wishes);
  });
  await evaluateAsync(pending);
  check(pending.read());
  dispose(pending);
  assert.equal(liveArrays(), before);
}

function requireKnown(
  row: LogitRow | undefined,
  logits: readonly number[],
  largest: number,
  named: readonly number[],
): void {
  assert.ok(row);
  assert.deepEqual(
    row.tokens,
    [...new Set(row.tokens)].sort((a, b) => a - b),
  );
  assert.deepEqual(
    row.logits,
    row.tokens.map((token) => logits[token]),
  );
  for (const token of named) assert.ok(row.tokens.includes(token), `token ${token} is named`);
  const sorted = largestFirst(logits).map((token) => logits[token] ?? NaN);
  const edge = sorted[Math.min(largest, sorted.length) - 1] ?? NaN;
  // Of those at the edge any may be among the largest.
  for (const [token, logit] of logits.entries()) if (logit > edge) assert.ok(row.tokens.includes(token));
  assert.ok(row.tokens.length >= Math.min(largest, logits.length));
  assert.equal(row.others, logits.length - row.tokens.length);
  assert.equal(row.floor, row.others > 0 ? edge : -Infinity);
  assert.deepEqual(row.all(), logits);
}

function logTotal(logits: readonly number[], temperature: number): number {
  const best = Math.max(...logits);
  const sum = logits.reduce((total, logit) => total + Math.exp((logit - best) / temperature), 0);
  return best / temperature + Math.log(sum);
}

describe('rows that are read', () => {
  for (const [rows, vocabSize, largest] of [
    [1, 5000, 48],
    [4, 700, 16],
    [3, 20, 1],
    [2, 9, 9],
    [2, 6, 48],
    [1, 1, 3],
  ] as const)
    it(`know ${String(largest)} of ${String(vocabSize)} tokens and those that are named, in each of ${String(rows)}`, async () => {
      const logits = randomRows(vocabSize, rows, vocabSize);
      const named = logits.map((_, row) => [row % vocabSize, vocabSize - 1, (3 * row) % vocabSize]);
      for (const names of [named, logits.map(() => []), undefined])
        await withRows(logits, { largest, named: names }, (read) => {
          assert.equal(read.length, rows);
          for (const [row, own] of logits.entries()) {
            requireKnown(read[row], own, largest, names?.[row] ?? []);
            assert.equal(read[row]?.logTotals.size, 0);
          }
        });
    });

  it('have the totals that were asked for', async () => {
    const logits = randomRows(2, 3, 4000);
    const temperatures = [1, 0.3, 1.5];
    await withRows(logits, { largest: 20, temperatures }, (read) => {
      for (const [row, own] of logits.entries())
        for (const temperature of temperatures) {
          const total = read[row]?.logTotals.get(temperature) ?? NaN;
          assertClose([total], [logTotal(own, temperature)], 1e-5);
        }
    });
  });

  it('are those of float32 when the logits are bfloat16', async () => {
    const logits = randomRows(3, 2, 900);
    await withRows(
      logits,
      { largest: 30, named: [[1], [2]], temperatures: [1] },
      (read) => {
        for (const [row, own] of logits.entries()) {
          requireKnown(read[row], own, 30, [row + 1]);
          assertClose([read[row]?.logTotals.get(1) ?? NaN], [logTotal(own, 1)], 1e-5);
        }
      },
      (array) => track(array.astype(core.bfloat16)),
    );
  });
});
