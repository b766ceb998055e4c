// The largest of very many values against a sort in JavaScript: as many as asked for, each once, none smaller than one
// that is left out. Sizes are whole chunks or not, and few or many of them.
import assert from 'node:assert/strict';
import { valuesAt } from '../../server/models/mlx/gather';
import { largestOfMany } from '../../server/models/mlx/gather';
import { dispose, scope, evaluateAsync } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';
import { seededRandom } from '../support/seededRandom';

const SIZES = [5, 64, 256, 640, 641, 1000, 4200, 16_384, 20_031];

describe('the largest of many values', () => {
  for (const size of SIZES) {
    it(`are found among ${String(size)}, equal ones too`, async () => {
      const random = seededRandom(size);
      for (const [count, levels] of [
        [1, 1e9],
        [5, 1e9],
        [5, 7],
        [Math.min(size, 49), 1e9],
        [Math.min(size, 49), 30],
      ] as const) {
        const rows = Array.from({ length: 3 }, () =>
          Array.from({ length: size }, () => Math.fround(Math.floor(levels * random()) - levels / 2)),
        );
        const found = scope(() => {
          const a = mx.constant(rows, mx.float32);
          const ids = largestOfMany(a, count);
          return { ids, values: valuesAt(a, ids) };
        });
        await evaluateAsync(found);
        const [ids, values] = [mx.rows(found.ids), mx.rows(found.values)];
        dispose(found);
        for (const [i, row] of rows.entries()) {
          assert.equal(new Set(ids[i]).size, count);
          assert.deepEqual(
            ids[i]?.map((id) => row[id]),
            values[i],
          );
          const sorted = (list: readonly number[] = []): number[] => [...list].sort((x, y) => y - x);
          assert.deepEqual(sorted(values[i]), sorted(row).slice(0, count));
        }
      }
    });
  }
});
