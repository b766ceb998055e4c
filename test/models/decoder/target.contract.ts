// Contract of every target model: caches change only the cost, taps are the outputs of the requested layers, and
// nothing remains in memory.
import assert from 'node:assert/strict';
import type { LayerCache } from '../../../server/models/decoder/layerCache';
import { liveArrays } from '../../../server/models/mlx/memory';
import { evaluateAndGiveTurns } from '../../../server/models/mlx/evaluation';
import type { TargetModel } from '../../../server/models/decoder/target';
import { assertClose, rowsOf } from '../../support/arrayValues';
import { deviceName } from '../../support/testDevice';
import { assertRefused } from '../../support/refusal';
import { seededIntegers } from '../../support/seededRandom';
import { runInChunks, runTokens, runWhole, withCaches } from '../../support/tokenRun';

export interface TargetRow {
  readonly name: string;
  readonly open: () => Promise<TargetModel>;
  /** Number of layers with their own cache; all by default. */
  readonly cachedLayerCount?: number | undefined;
}

/** Tolerance of differences: other numbers of rows use other kernels, which round differently, on GPUs more so. */
const TOLERANCE = deviceName === 'cpu' ? 1e-4 : 5e-4;
/** Number of tokens, beyond the step by which caches grow. */
const LENGTH = 270;

/** Returns the largest length up to `limit` that all caches can reach. */
function commonReach(caches: readonly LayerCache[], limit: number): number {
  const reached = caches.reduce((least, cache) => cache.reachable(least), limit);
  return reached === limit ? limit : commonReach(caches, reached);
}

export function testTarget({ name, open, cachedLayerCount }: TargetRow): void {
  describe(`the target contract of ${name}`, () => {
    let arraysBefore: number;
    let target: TargetModel;
    let ids: number[];
    before(async () => {
      arraysBefore = liveArrays();
      target = await open();
      ids = seededIntegers(7, LENGTH, 0, target.config.vocabSize - 1);
    });
    after(async () => {
      // On a GPU, passes in parts leave arrays, which the next evaluation frees; these tests read results without one.
      await evaluateAndGiveTurns();
      target.dispose();
      assert.equal(liveArrays(), arraysBefore, 'arrays left after dispose');
    });

    const lastRow = (logits: readonly number[]) => logits.slice(-target.config.vocabSize);

    it('creates a cache for each layer, except those that share one, and logits over the vocabulary', () => {
      const { hidden, logits } = runWhole(target, ids.slice(0, 3));
      withCaches(target, (caches) =>
        assert.equal(caches.length, cachedLayerCount ?? target.config.numHiddenLayers),
      );
      assert.equal(hidden.length, 3 * target.config.hiddenSize);
      assert.equal(logits.length, 3 * target.config.vocabSize);
    });

    // Passes of fewer than 64 rows compute in one stream, longer ones in several.
    for (const sizes of [
      [1, 269],
      [60, 70],
    ]) {
      it(`computes the same in chunks of ${sizes.join(', ')} as in one pass`, () => {
        const taps = [0];
        const [chunked, inOnePass] = [runInChunks(target, ids, sizes, taps), runWhole(target, ids, taps)];
        assertClose(chunked.logits, inOnePass.logits, TOLERANCE, 'logits');
        assertClose(chunked.hidden, inOnePass.hidden, TOLERANCE, 'hidden states');
        assertClose(chunked.taps, inOnePass.taps, TOLERANCE, 'taps');
      });
    }

    it('computes the same for 16 tokens in one pass as one by one', () => {
      const [prompt, block] = [ids.slice(0, 40), ids.slice(40, 56)];
      const together = withCaches(target, (caches) => {
        runTokens(target, caches, prompt);
        return runTokens(target, caches, block, [0]);
      });
      withCaches(target, (caches) => {
        runTokens(target, caches, prompt);
        const { vocabSize, hiddenSize } = target.config;
        for (const [i, id] of block.entries()) {
          const { logits, taps } = runTokens(target, caches, [id], [0]);
          assertClose(rowsOf(together.logits, vocabSize, i, i + 1), logits, TOLERANCE, `logits of row ${i}`);
          assertClose(rowsOf(together.taps, hiddenSize, i, i + 1), taps, TOLERANCE, `taps of row ${i}`);
        }
      });
    });

    for (const kept of [0, 5]) {
      it(`forgets ${16 - kept} of 16 rows completely`, () => {
        const rejected = seededIntegers(8, 16 - kept, 0, target.config.vocabSize - 1);
        const next = ids.slice(30, 33);
        const trimmed = withCaches(target, (caches) => {
          runTokens(target, caches, ids.slice(0, 30 - kept));
          runTokens(target, caches, [...ids.slice(30 - kept, 30), ...rejected]);
          for (const cache of caches) cache.trimTo(30);
          return runTokens(target, caches, next, [1]);
        });
        const untrimmed = withCaches(target, (caches) => {
          runTokens(target, caches, ids.slice(0, 30));
          return runTokens(target, caches, next, [1]);
        });
        assertClose(trimmed.logits, untrimmed.logits, TOLERANCE, 'logits');
        assertClose(trimmed.taps, untrimmed.taps, TOLERANCE, 'taps');
      });
    }

    it('trims and forks to lengths that its caches call reachable', () => {
      const next = ids.slice(100, 103);
      for (const limit of [259, 240, 60, 0]) {
        withCaches(target, (caches) => {
          for (const [from, to] of [
            [0, 200],
            [200, 256],
            [256, 260],
            [260, 264],
          ])
            runTokens(target, caches, ids.slice(from, to));
          const length = commonReach(caches, limit);
          assert.ok(length <= limit && (limit < 250 || length === limit), `${length} of ${limit}`);
          const expected = withCaches(target, (fresh) => {
            if (length > 0) runTokens(target, fresh, ids.slice(0, length));
            return runTokens(target, fresh, next).logits;
          });
          const forks = caches.map((cache) => cache.fork(length, length + 3));
          const forked = runTokens(target, forks, next).logits;
          for (const fork of forks) fork.dispose();
          assertClose(forked, expected, TOLERANCE, `logits of a fork at ${length}`);
          for (const cache of caches) cache.trimTo(length);
          assertClose(runTokens(target, caches, next).logits, expected, TOLERANCE, `logits after ${length}`);
        });
      }
    });

    it('taps layers in the requested order, without effect on its output', () => {
      const order = [1, 2, 0, 1];
      const { hiddenSize } = target.config;
      const text = ids.slice(0, 9);
      const single = order.map((layer) => runWhole(target, text, [layer]).taps);
      const expected = text.flatMap((_, row) =>
        single.flatMap((taps) => rowsOf(taps, hiddenSize, row, row + 1)),
      );
      const [tapped, plain] = [runWhole(target, text, order), runWhole(target, text)];
      assert.deepEqual(tapped.taps, expected);
      assert.deepEqual([plain.taps, plain.logits], [[], tapped.logits]);
    });

    it('keeps the caches of two decodes separate', () => {
      const secondPrompt = ids.slice(100, 108);
      const alone = runWhole(target, ids.slice(0, 9));
      withCaches(target, (firstCaches) =>
        withCaches(target, (secondCaches) => {
          runTokens(target, firstCaches, ids.slice(0, 8));
          runTokens(target, secondCaches, secondPrompt);
          const { logits } = runTokens(target, firstCaches, ids.slice(8, 9));
          assertClose(logits, lastRow(alone.logits), TOLERANCE, 'logits');
        }),
      );
    });

    it('keeps the number of live arrays constant from step to step', () => {
      withCaches(target, (caches) => {
        runTokens(target, caches, ids.slice(0, 20), [0, 1]);
        const alive = Array.from({ length: 20 }, (_, step) => {
          runTokens(target, caches, ids.slice(20 + step, 21 + step), [0, 1]);
          runTokens(target, caches, ids.slice(40, 44), [1]);
          for (const cache of caches) cache.trimTo(cache.offset - 4);
          return liveArrays();
        });
        // Some caches merge their latest passes only every few steps, so the count varies in between.
        assert.equal(Math.max(...alive.slice(10)), Math.max(...alive.slice(0, 10)));
      });
    });

    it('rejects token ids outside the vocabulary', async () => {
      const { vocabSize } = target.config;
      for (const id of [vocabSize, -1]) {
        await assertRefused(
          () => withCaches(target, (caches) => runTokens(target, caches, [0, id])),
          `token ids from 0 to ${vocabSize - 1}`,
        );
      }
      assert.equal(runWhole(target, [vocabSize - 1]).logits.length, vocabSize);
    });
  });
}
