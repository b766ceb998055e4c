// Tests work on several items at a time: its order, its cancellation and the failure of an item.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { inParallel } from '../../server/hub/inParallel';

describe('work on several items at a time', () => {
  it('takes each item once, four at a time', async () => {
    const began: number[] = [];
    const ends: (() => void)[] = [];
    const work = inParallel([0, 1, 2, 3, 4, 5], new AbortController().signal, async (item) => {
      began.push(item);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
    assert.deepEqual(began, [0, 1, 2, 3]);
    ends[2]?.();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(began, [0, 1, 2, 3, 4]);
    // The items that begin now add their ends to the list.
    for (const end of ends) end();
    await new Promise((resolve) => setImmediate(resolve));
    for (const end of ends) end();
    await work;
    assert.deepEqual(began, [0, 1, 2, 3, 4, 5]);
  });

  it('rejects with the reason of its signal, even if the work ignored the signal', async () => {
    const work = inParallel([0], AbortSignal.abort('enough'), () => Promise.resolve());
    await assert.rejects(work, (reason) => reason === 'enough');
  });

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
