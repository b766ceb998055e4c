// The scheduler grants one step at a time: by urgency, then in the order of arrival, inline requests newest first.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Scheduler } from '../../server/engine/scheduler';
import { QueueTicket, type RequestKind } from '../../server/engine/request/queueTicket';

describe('Scheduler', () => {
  it('serves an inline request to its end before all waiting requests', async () => {
    const scheduler = new Scheduler();
    const order: string[] = [];
    const visit = async (kind: RequestKind, times: number): Promise<void> => {
      const ticket = new QueueTicket(kind);
      for (let time = 0; time < times; time++) {
        const release = await scheduler.acquire(ticket);
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

  it('hands a step over once, however often its holder releases it', async () => {
    const scheduler = new Scheduler();
    const release = await scheduler.acquire();
    const started: number[] = [];
    const waiting = [1, 2].map(async (number) => {
      const releaseStep = await scheduler.acquire();
      started.push(number);
      return releaseStep;
    });
    release();
    release();
    await turn();
    await turn();
    assert.deepEqual(started, [1]);
    (await waiting[0])?.();
    await waiting[1];
    assert.deepEqual(started, [1, 2]);
  });

  /** Returns the order in which requests that arrive one after another run the last of their `times` steps. */
  const endOrder = async (kind: RequestKind, times: readonly number[]): Promise<number[]> => {
    const scheduler = new Scheduler();
    const ended: number[] = [];
    let holders = 0;
    const visit = async (holder: number, count: number): Promise<void> => {
      const ticket = new QueueTicket(kind);
      for (let step = 0; step < count; step++) {
        const release = await scheduler.acquire(ticket);
        assert.equal((holders += 1), 1, 'two requests run a step at the same time');
        await turn();
        holders -= 1;
        release();
      }
      ended.push(holder);
    };
    await Promise.all(times.map((count, holder) => visit(holder, count)));
    return ended;
  };

  it('serves one request to its end before the next one, except long ones', async () => {
    assert.deepEqual(await endOrder('generate', [20, 20, 20]), [0, 1, 2]);
    assert.deepEqual(await endOrder('generate', [400, 20, 20]), [1, 2, 0]);
  });

  it('lets newer inline requests pass an older one, but not forever', async () => {
    assert.deepEqual(await endOrder('inline', [20, 20, 20]), [2, 1, 0]);
    const ended = await endOrder('inline', Array<number>(40).fill(20));
    assert.ok(ended.indexOf(0) < 10, ended.join(' '));
  });

  it('gives waiting generated code a step after eight of a flood of inline requests', async () => {
    const scheduler = new Scheduler();
    const order: RequestKind[] = [];
    const visit = async (kind: RequestKind, times: number): Promise<void> => {
      const ticket = new QueueTicket(kind);
      for (let time = 0; time < times; time++) {
        const release = await scheduler.acquire(ticket);
        order.push(kind);
        await turn();
        release();
      }
    };
    await Promise.all([visit('generate', 4), ...Array.from({ length: 12 }, () => visit('inline', 4))]);
    const generated = order.flatMap((kind, i) => (kind === 'generate' ? [i] : []));
    assert.deepEqual(generated, [0, 9, 18, 27]);
  });

  it('begins four inline requests at most, however many newer ones arrive', async () => {
    const scheduler = new Scheduler();
    let [running, mostRunning] = [0, 0];
    const visit = async (): Promise<void> => {
      const ticket = new QueueTicket('inline');
      for (let step = 0; step < 6; step++) {
        const release = await scheduler.acquire(ticket);
        if (step === 0) mostRunning = Math.max(mostRunning, (running += 1));
        if (step === 5) running -= 1;
        await turn();
        release();
      }
    };
    const visits: Promise<void>[] = [];
    for (let i = 0; i < 40; i++) {
      visits.push(visit());
      await turn();
    }
    await Promise.all(visits);
    assert.equal(mostRunning, 4);
  });
});
