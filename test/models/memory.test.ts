// What scope, keep, dispose and settle promise: nothing stays that nobody asked for, and waiting lets the
// event loop turn.
import assert from 'node:assert/strict';
import {
  dispose,
  keep,
  liveArrays,
  peakMemoryBytes,
  scope,
  evaluateAsync,
} from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';
import { valuesOf } from '../support/arrayValues';

const pair = () => mx.constant([1, 2], mx.float32);

describe('memory', () => {
  let before: number;
  beforeEach(() => (before = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), before));

  const left = () => liveArrays() - before;

  describe('scope', () => {
    it('frees every array but the one it returns', () => {
      const sum = scope(() => mx.add(mx.add(pair(), pair()), pair()));
      assert.equal(left(), 1);
      assert.deepEqual(valuesOf(sum), [3, 6]);
      dispose(sum);
    });

    it('returns arrays nested in lists and objects', () => {
      const tree = scope(() => {
        pair();
        return { list: [pair(), undefined, 7], inner: { sum: mx.add(pair(), pair()) } };
      });
      assert.equal(left(), 2);
      assert.deepEqual(valuesOf(tree.inner.sum), [2, 4]);
      assert.equal(tree.list[2], 7);
      dispose(tree);
    });

    it('passes numbers and undefined through', () => {
      assert.equal(
        scope(() => mx.numbers(mx.add(pair(), pair()))[1] ?? 0),
        4,
      );
      assert.deepEqual(
        scope(() => mx.numbers(pair())),
        [1, 2],
      );
      assert.equal(
        scope(() => void pair()),
        undefined,
      );
      assert.equal(left(), 0);
    });

    it('hands the result of an inner scope to the outer one', () => {
      const outer = scope(() => {
        const inner = scope(() => mx.add(pair(), pair()));
        assert.equal(left(), 1);
        return mx.add(inner, pair());
      });
      assert.equal(left(), 1);
      assert.deepEqual(valuesOf(outer), [3, 6]);
      dispose(outer);
    });

    it('frees what an inner scope returned unless the outer one returns it too', () => {
      scope(() => {
        scope(pair);
        assert.equal(left(), 1);
        return undefined;
      });
      assert.equal(left(), 0);
      const through = scope(() => scope(pair));
      assert.equal(left(), 1);
      dispose(through);
    });

    it('leaves arrays from outside alone, even when it returns them', () => {
      const mine = pair();
      assert.equal(
        scope(() => mine),
        mine,
      );
      assert.equal(left(), 1);
      assert.deepEqual(valuesOf(mine), [1, 2]);
      dispose(mine);
    });

    it('frees everything when it throws, and so do the scopes around it', () => {
      const failure = new Error('on purpose');
      assert.throws(
        () =>
          scope(() => {
            const a = pair();
            return scope(() => {
              mx.add(a, pair());
              throw failure;
            });
          }),
        failure,
      );
      assert.equal(left(), 0);
      dispose(scope(pair));
    });

    it('frees everything when MLX refuses an operation', () => {
      assert.throws(() => scope(() => mx.add(pair(), mx.constant([1, 2, 3], mx.float32))), /broadcast/);
      assert.equal(left(), 0);
    });

    it('takes no asynchronous body: two overlapping ones would free the arrays of each other', () => {
      // @ts-expect-error A promise is no tree.
      const overlapping = () => scope(async () => Promise.resolve(pair()));
      assert.equal(typeof overlapping, 'function');
    });

    it('frees before evaluation without disturbing the result', async () => {
      const sum = scope(() => {
        let x = mx.zeros([1000], mx.float32);
        for (let i = 0; i < 50; i++) x = mx.add(x, mx.constant(1, mx.float32));
        return x;
      });
      assert.equal(left(), 1);
      await evaluateAsync(sum);
      assert.ok(valuesOf(sum).every((value) => value === 50));
      dispose(sum);
    });
  });

  describe('keep', () => {
    it('takes an array out of all open scopes', () => {
      let kept: mx.MxArray | undefined;
      scope(() => {
        scope(() => {
          kept = keep(mx.add(pair(), pair()));
          return undefined;
        });
        return undefined;
      });
      assert.equal(left(), 1);
      assert.ok(kept);
      assert.deepEqual(valuesOf(kept), [2, 4]);
      dispose(kept);
    });

    it('may be given an array of an outer scope', () => {
      let kept: mx.MxArray | undefined;
      scope(() => {
        const outer = pair();
        scope(() => {
          kept = keep(outer);
          return undefined;
        });
        return undefined;
      });
      assert.equal(left(), 1);
      dispose(kept);
    });

    it('survives an error that comes later', () => {
      let kept: mx.MxArray | undefined;
      assert.throws(() =>
        scope(() => {
          kept = keep(pair());
          pair();
          throw new Error('on purpose');
        }),
      );
      assert.equal(left(), 1);
      dispose(kept);
    });

    it('makes no difference outside of a scope, also for a later one', () => {
      const mine = keep(pair());
      scope(() => {
        mx.add(mine, mine);
        return undefined;
      });
      assert.equal(left(), 1);
      dispose(mine);
    });
  });

  describe('dispose', () => {
    it('frees trees and skips what is no array', () => {
      dispose([pair(), { a: pair(), b: [pair(), 5, undefined] }], undefined, 3);
      assert.equal(left(), 0);
    });

    it('leaves a graph that still uses the array intact', () => {
      const a = pair();
      const sum = mx.add(a, a);
      dispose(a);
      assert.deepEqual(valuesOf(sum), [2, 4]);
      dispose(sum);
    });

    it('gives the bytes back at once', async () => {
      const bytes = 128 * 2 ** 20;
      const zeros = mx.zeros([bytes / 4], mx.float32);
      const big = mx.add(zeros, zeros);
      dispose(zeros);
      await evaluateAsync(big);
      const held = process.memoryUsage.rss();
      assert.equal(big.nbytes, bytes);
      dispose(big);
      assert.ok(held - process.memoryUsage.rss() > 0.8 * bytes);
    });
  });

  describe('settle', () => {
    it('evaluates what it is given', async () => {
      const tree = scope(() => ({ sum: mx.add(pair(), pair()), none: undefined }));
      await evaluateAsync(tree, [tree.sum]);
      assert.deepEqual(valuesOf(tree.sum), [2, 4]);
      dispose(tree);
    });

    it('lets what was queued before it run first', async () => {
      const ran: string[] = [];
      setImmediate(() => ran.push('immediate'));
      setTimeout(() => ran.push('timer'), 0);
      process.nextTick(() => ran.push('tick'));
      const until = performance.now() + 5;
      while (performance.now() < until);
      await evaluateAsync();
      assert.ok(ran.includes('tick') && ran.includes('immediate'), ran.join());
      await evaluateAsync();
      assert.ok(ran.includes('timer'), ran.join());
    });

    it('lets a message arrive that cancels a loop of settled steps', async () => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 2);
      let steps = 0;
      for (; !controller.signal.aborted && steps < 1e6; steps++) await evaluateAsync();
      assert.ok(steps < 1e6);
    });
  });

  it('knows the peak memory of the process', () => {
    assert.ok(peakMemoryBytes() > 2 ** 20);
  });
});
