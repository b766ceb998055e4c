// The lane lets one holder in at a time, in the order of asking.
// Knows nothing about decodes.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Lane, type LaneKind } from '../../server/engine/lane';

describe('Lane', () => {
  it('lets the first holder in at once', async () => {
    const release = await new Lane().acquire();
    release();
  });

  it('lets one holder in at a time, in the order of asking', async () => {
    const lane = new Lane();
    const log: string[] = [];
    const visit = async (name: string): Promise<void> => {
      const release = await lane.acquire();
      log.push(`${name} in`);
      await turn();
      log.push(`${name} out`);
      release();
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(visit));
    assert.deepEqual(log, ['a in', 'a out', 'b in', 'b out', 'c in', 'c out', 'd in', 'd out']);
  });

  it('lets inline holders in before those that generate, each in the order of asking', async () => {
    const lane = new Lane();
    const order: string[] = [];
    const visit = async (name: string, kind: LaneKind): Promise<void> => {
      const release = await lane.acquire(kind);
      order.push(name);
      release();
    };
    const release = await lane.acquire('generate');
    const visits = [
      visit('a', 'generate'),
      visit('b', 'inline'),
      visit('c', 'generate'),
      visit('d', 'inline'),
    ];
    release();
    await Promise.all(visits);
    assert.deepEqual(order, ['b', 'd', 'a', 'c']);
  });

  it('lets an inline holder that asks again at once in before all others', async () => {
    const lane = new Lane();
    const order: string[] = [];
    const visit = async (kind: LaneKind, times: number): Promise<void> => {
      for (let time = 0; time < times; time++) {
        const release = await lane.acquire(kind);
        order.push(kind);
        await turn();
        release();
      }
    };
    await Promise.all([visit('prefetch', 3), visit('generate', 2), visit('inline', 3)]);
    assert.deepEqual(order, [
      'prefetch',
      ...['inline', 'inline', 'inline'],
      ...['generate', 'generate'],
      ...['prefetch', 'prefetch'],
    ]);
  });

  it('goes on after a holder that failed', async () => {
    const lane = new Lane();
    const failing = async (): Promise<void> => {
      const release = await lane.acquire();
      try {
        await turn();
        throw new Error('a failure');
      } finally {
        release();
      }
    };
    const failed = failing();
    const next = lane.acquire();
    await assert.rejects(failed, /a failure/);
    (await next)();
  });

  it('lets nobody in early when a holder releases twice', async () => {
    const lane = new Lane();
    const first = await lane.acquire();
    const second = lane.acquire();
    let third = false;
    void lane.acquire().then(() => (third = true));
    first();
    first();
    const release = await second;
    await turn();
    assert.equal(third, false);
    release();
    await turn();
    assert.equal(third, true);
  });
});
