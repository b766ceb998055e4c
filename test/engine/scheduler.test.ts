// The scheduler grants one step at a time: by urgency, then in the order of arrival, inline requests newest first.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Scheduler } from '../../server/engine/scheduler';
import { QueueTicket, type RequestKind } from '../../server/engine/request/queueTicket';

/**
 * Creates a scheduler whose steps are recorded. `visit` makes one request of `times` steps, and calls `onStep` in each
 * with the number of steps so far.
 */
function recordedSteps() {
  const scheduler = new Scheduler();
  const order: RequestKind[] = [];
  const visit = async (kind: RequestKind, times: number, onStep?: (count: number) => void): Promise<void> => {
    const ticket = new QueueTicket(kind);
    for (let time = 0; time < times; time++) {
      const release = await scheduler.acquire(ticket);
      const count = order.push(kind);
      onStep?.(count);
      await turn();
      release();
    }
  };
  return { order, visit };
}

describe('Scheduler', () => {
  it('serves an inline request to its end before all waiting requests', async () => {
    const { order, visit } = recordedSteps();
    await Promise.all([
      ...[visit('prefetch', 3), visit('generate', 2)],
      ...[visit('nextEdit', 2), visit('inline', 3)],
    ]);
    assert.deepEqual(order, [
      'prefetch',
      ...['inline', 'inline', 'inline'],
      ...['nextEdit', 'nextEdit'],
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
      const { order, visit } = recordedSteps();
      let passed = 0;
      const generated = visit('generate', 1 + generatedSteps);
      const oldest = visit('inline', 1, () => {
        passed = order.filter((kind) => kind === 'inline').length - 1;
      });
      await Promise.all([generated, oldest, ...Array.from({ length: 40 }, () => visit('inline', 4))]);
      assert.equal(passed, 128, `with ${String(generatedSteps)} steps of generated code`);
    }
  });

  it('serves a newer inline request before an older one that has run many steps', async () => {
    const { visit } = recordedSteps();
    const ended: string[] = [];
    await visit('inline', 100, (count) => {
      if (count === 63) void visit('inline', 20).then(() => ended.push('newer'));
    });
    assert.deepEqual(ended, ['newer']);
  });

  it('counts inline steps in a row from the arrival of generated code', async () => {
    const { order, visit } = recordedSteps();
    const onStep = (count: number): void => {
      if (count === 6) void visit('generate', 1);
    };
    await Promise.all(Array.from({ length: 8 }, () => visit('inline', 4, onStep)));
    assert.equal(order.indexOf('generate'), 17);
  });

  it('gives waiting generated code a step after eight inline steps, between two inline requests', async () => {
    // The eighth step ends a request of 4 steps, and is in the middle of one of 3.
    assert.deepEqual(await generatedAmong(4), [0, 9, 18, 27]);
    assert.deepEqual(await generatedAmong(3), [0, 10, 20, 30]);
  });

  /** Returns the positions of generated code among the steps of inline requests of `inlineSteps` steps each. */
  async function generatedAmong(inlineSteps: number): Promise<number[]> {
    const { order, visit } = recordedSteps();
    await Promise.all([
      visit('generate', 4),
      ...Array.from({ length: 12 }, () => visit('inline', inlineSteps)),
    ]);
    return order.flatMap((kind, i) => (kind === 'generate' ? [i] : []));
  }

  it('has at most four inline requests in progress, however many newer ones arrive', async () => {
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
