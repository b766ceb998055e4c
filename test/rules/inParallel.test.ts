// Tests work on several items at a time, of which one fails.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { inParallel } from '../../server/rules/inParallel';

describe('work on several items at a time', () => {
  it('is aborted by the first failure, which is thrown', async () => {
    const finished: number[] = [];
    const { signal } = new AbortController();
    const work = inParallel([0, 1, 2, 3, 4, 5], signal, async (item, ended) => {
      if (item === 1) throw new Error('the disk is full');
      await pause(100, undefined, { signal: ended });
      finished.push(item);
    });
    await assert.rejects(work, /^Error: the disk is full$/);
    assert.deepEqual(finished, []);
  });
});
