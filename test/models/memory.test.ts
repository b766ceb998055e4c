// What scope, keep and dispose promise: nothing stays that nobody asked for, and waiting lets the event loop turn.
import assert from 'node:assert/strict';
import { dispose, keep, liveArrays, scope, evaluateAsync } from '../../server/models/mlx/memory';
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

    it('takes no asynchronous body: two overlapping ones would free the arrays of each other', () => {
      // @ts-expect-error A promise is no tree.
      const overlapping = () => scope(async () => Promise.resolve(pair()));
      assert.equal(typeof overlapping, 'function');
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
  });

  describe('dispose', () => {
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
    it('lets a message arrive that cancels a loop of settled steps', async () => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 2);
      let steps = 0;
      for (; !controller.signal.aborted && steps < 1e6; steps++) await evaluateAsync();
      assert.ok(steps < 1e6);
    });
  });
});
