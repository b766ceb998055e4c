// Tests the order of steps: one at a time, by urgency, then in the order of arrival, inline requests newest first.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Scheduler } from '../../server/engine/scheduler';
import { QueueTicket, type RequestKind } from '../../server/engine/request/queueTicket';

/**
 * Creates a scheduler whose steps are recorded. `request` runs one request of `stepCount` steps, and calls `onStep` in
 * each step with the number of steps of all requests so far.
 */
function recordedSteps() {
  const scheduler = new Scheduler();
  const order: RequestKind[] = [];
  const request = async (
    kind: RequestKind,
    stepCount: number,
    onStep?: (count: number) => void,
  ): Promise<void> => {
    const ticket = new QueueTicket(kind);
    for (let step = 0; step < stepCount; step++) {
      const release = await scheduler.acquire(ticket);
      const count = order.push(kind);
      onStep?.(count);
      await turn();
      release();
    }
  };
  return { order, request };
}

describe('Scheduler', () => {
  it('serves an inline request to its end before all waiting requests', async () => {
    const { order, request } = recordedSteps();
    await Promise.all([
      request('prefetch', 3),
      request('generate', 2),
      request('nextEdit', 2),
      request('inline', 3),
    ]);
    assert.equal(
      order.join(' '),
      'prefetch inline inline inline nextEdit nextEdit generate generate prefetch prefetch',
    );
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

  /** Returns the order in which requests that arrive one after another end. `stepCounts` has the steps of each. */
  const endOrder = async (kind: RequestKind, stepCounts: readonly number[]): Promise<number[]> => {
    const scheduler = new Scheduler();
    const ended: number[] = [];
    let running = 0;
    const request = async (index: number, stepCount: number): Promise<void> => {
      const ticket = new QueueTicket(kind);
      for (let step = 0; step < stepCount; step++) {
        const release = await scheduler.acquire(ticket);
        running += 1;
        assert.equal(running, 1, 'two requests run a step at the same time');
        await turn();
        running -= 1;
        release();
      }
      ended.push(index);
    };
    await Promise.all(stepCounts.map((stepCount, index) => request(index, stepCount)));
    return ended;
  };

  it('serves one request to its end before the next one, except long ones', async () => {
    assert.deepEqual(await endOrder('generate', [20, 20, 20]), [0, 1, 2]);
    assert.deepEqual(await endOrder('generate', [400, 20, 20]), [1, 2, 0]);
    assert.deepEqual(await endOrder('generate', [63, 20]), [0, 1]);
    assert.deepEqual(await endOrder('generate', [64, 20]), [1, 0]);
  });

  it('lets newer inline requests pass an older one, but not forever', async () => {
    assert.deepEqual(await endOrder('inline', [20, 20, 20]), [2, 1, 0]);
    const ended = await endOrder('inline', Array<number>(40).fill(20));
    assert.equal(ended.indexOf(0), 6);
  });

  it('lets 128 newer inline steps pass an older request, whether or not generated code goes in between', async () => {
    for (const generatedSteps of [0, 40]) {
      const { order, request } = recordedSteps();
      let passed = 0;
      const generated = request('generate', 1 + generatedSteps);
      const oldest = request('inline', 1, () => {
        passed = order.filter((kind) => kind === 'inline').length - 1;
      });
      await Promise.all([generated, oldest, ...Array.from({ length: 40 }, () => request('inline', 4))]);
      assert.equal(passed, 128, `with ${String(generatedSteps)} steps of generated code`);
    }
  });

  it('serves a newer inline request before an older one that has run many steps', async () => {
    const { request } = recordedSteps();
    const ended: string[] = [];
    await request('inline', 100, (count) => {
      if (count === 63) void request('inline', 20).then(() => ended.push('newer'));
    });
    assert.deepEqual(ended, ['newer']);
  });

  it('counts inline steps in a row from the arrival of generated code', async () => {
    const { order, request } = recordedSteps();
    const onStep = (count: number): void => {
      if (count === 6) void request('generate', 1);
    };
    await Promise.all(Array.from({ length: 8 }, () => request('inline', 4, onStep)));
    assert.equal(order.indexOf('generate'), 17);
  });

  it('gives waiting generated code a step after eight inline steps, between two inline requests', async () => {
    // The eighth step ends a request of 4 steps, and is in the middle of one of 3.
    assert.deepEqual(await generatedAmong(4), [0, 9, 18, 27]);
    assert.deepEqual(await generatedAmong(3), [0, 10, 20, 30]);
  });

  /** Returns the positions of generated code among the steps of inline requests of `inlineSteps` steps each. */
  async function generatedAmong(inlineSteps: number): Promise<number[]> {
    const { order, request } = recordedSteps();
    await Promise.all([
      request('generate', 4),
      ...Array.from({ length: 12 }, () => request('inline', inlineSteps)),
    ]);
    return order.flatMap((kind, i) => (kind === 'generate' ? [i] : []));
  }

  it('has at most four inline requests in progress, however many newer ones arrive', async () => {
    const scheduler = new Scheduler();
    let running = 0;
    let mostRunning = 0;
    const request = async (): Promise<void> => {
      const ticket = new QueueTicket('inline');
      for (let step = 0; step < 6; step++) {
        const release = await scheduler.acquire(ticket);
        if (step === 0) running += 1;
        mostRunning = Math.max(mostRunning, running);
        if (step === 5) running -= 1;
        await turn();
        release();
      }
    };
    const requests: Promise<void>[] = [];
    for (let i = 0; i < 40; i++) {
      requests.push(request());
      await turn();
    }
    await Promise.all(requests);
    assert.equal(mostRunning, 4);
  });
});
