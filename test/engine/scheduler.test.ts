// The lane lets one holder in at a time, in the order of asking.
// Knows nothing about decodes.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Scheduler } from '../../server/engine/scheduler';
import { QueuePlace, type RequestKind } from '../../server/engine/request/queuePlace';

describe('Lane', () => {
  it('lets one holder in at a time, in the order of asking', async () => {
    const lane = new Scheduler();
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

  it('lets inline holders in before those that generate, the newest of them first', async () => {
    const lane = new Scheduler();
    const order: string[] = [];
    const visit = async (name: string, kind: RequestKind): Promise<void> => {
      const release = await lane.acquire(new QueuePlace(kind));
      order.push(name);
      release();
    };
    const release = await lane.acquire();
    const visits = [
      visit('a', 'generate'),
      visit('b', 'inline'),
      visit('c', 'generate'),
      visit('d', 'inline'),
    ];
    release();
    await Promise.all(visits);
    assert.deepEqual(order, ['d', 'b', 'a', 'c']);
  });

  it('lets an inline holder that asks again at once in before all others', async () => {
    const lane = new Scheduler();
    const order: string[] = [];
    const visit = async (kind: RequestKind, times: number): Promise<void> => {
      const place = new QueuePlace(kind);
      for (let time = 0; time < times; time++) {
        const release = await lane.acquire(place);
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

  /** The order in which holders that come one after another make their last of `times` steps. */
  const ends = async (kind: RequestKind, times: readonly number[]): Promise<number[]> => {
    const lane = new Scheduler();
    const ended: number[] = [];
    const visit = async (holder: number, count: number): Promise<void> => {
      const place = new QueuePlace(kind);
      for (let step = 0; step < count; step++) {
        const release = await lane.acquire(place);
        await turn();
        release();
      }
      ended.push(holder);
    };
    await Promise.all(times.map((count, holder) => visit(holder, count)));
    return ended;
  };

  it('lets one holder come to its end before the next one begins, but for long ones', async () => {
    assert.deepEqual(await ends('generate', [20, 20, 20]), [0, 1, 2]);
    assert.deepEqual(await ends('generate', [400, 20, 20]), [1, 2, 0]);
  });

  it('lets newer inline holders pass an old one, but not for ever', async () => {
    assert.deepEqual(await ends('inline', [20, 20, 20]), [2, 1, 0]);
    const ended = await ends('inline', Array<number>(40).fill(20));
    assert.ok(ended.indexOf(0) < 10, ended.join(' '));
  });

  it('lets nobody in early when a holder releases twice', async () => {
    const lane = new Scheduler();
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
