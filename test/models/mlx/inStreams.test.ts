// Tests that a CPU splits the rows of long passes among its cores, and that each part sees the results of the parts
// before it.
import assert from 'node:assert/strict';
import { core } from '../../../server/models/mlx/binding';
import { evaluateAndGiveTurns } from '../../../server/models/mlx/evaluation';
import { inStreams } from '../../../server/models/mlx/inStreams';
import { dispose, scope } from '../../../server/models/mlx/memory';
import * as mx from '../../../server/models/mlx/ops';
// Selects the device.
import '../../support/testDevice';

/** Adds a row of zeros to `start`, which a slow product computes. */
function slowly(start: mx.MxArray): mx.MxArray {
  const square = mx.reshape(mx.arange(0, 512 * 512), 512, 512);
  const zeros = mx.multiply(mx.astype(square, mx.float32), 0);
  return mx.add(start, mx.slice(mx.matmul(zeros, zeros), 0, 0, 1));
}

describe('inStreams', () => {
  it('gives a GPU all rows at once', () => {
    assert.deepEqual(
      inStreams('gpu', 1000, (from, to) => [from, to]),
      [[0, 1000]],
    );
  });

  const partsOf = (rows: number): [number, number][] => inStreams('cpu', rows, (from, to) => [from, to]);

  it('splits no more than needed, into at most three parts', () => {
    const counts = [1, 63, 64, 95, 96, 10_000].map((rows) => partsOf(rows).length);
    assert.deepEqual(counts, [1, 1, 2, 2, 3, 3]);
  });

  it('splits rows in order, into parts of a minimum length', () => {
    for (const rows of [64, 65, 95, 96, 100, 255, 256, 1000]) {
      const parts = partsOf(rows);
      assert.ok(parts.length > 1, `${rows} rows in one part`);
      assert.deepEqual([0, ...parts.map(([, to]) => to)], [...parts.map(([from]) => from), rows]);
      for (const [from, to] of parts) assert.ok(to - from >= 32, `${to - from} of ${rows} rows`);
    }
  });

  it('waits in each part for the results of earlier parts', async () => {
    for (let run = 0; run < 20; run++) {
      const sums = scope(() => {
        let sum = mx.zeros([1, 512], mx.float32);
        const seen = inStreams('cpu', 256, () => {
          sum = mx.add(slowly(sum), mx.array(1, mx.float32));
          return mx.copy(sum);
        });
        return mx.concatenate(seen, 0);
      });
      await evaluateAndGiveTurns(sums);
      const firsts = mx.rows(sums).map(([first]) => first);
      assert.deepEqual(
        firsts,
        firsts.map((_, i) => i + 1),
      );
      dispose(sums);
    }
  });

  it('returns to the first stream, also after an error', () => {
    const stream = () => String(core.defaultStream(core.cpu));
    const before = stream();
    partsOf(256);
    assert.equal(stream(), before);
    assert.throws(
      () =>
        inStreams('cpu', 256, (from) => {
          if (from > 0) throw new Error('no');
        }),
      /no/,
    );
    assert.equal(stream(), before);
  });
});
