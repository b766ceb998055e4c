// Tests event streams with a slow client and one that stops reading: the next event waits, and memory stays bounded.
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { eventStream } from '../../server/http/eventStream';
import { ManualClock } from '../lsp/manualClock';

describe('an event stream', () => {
  let madeCount: number;
  let isEnded: boolean;
  beforeEach(() => ([madeCount, isEnded] = [0, false]));

  /** Yields events of 10 kB without an end, and counts them. */
  async function* events() {
    try {
      for (;;) {
        madeCount += 1;
        yield await Promise.resolve({ text: 'x'.repeat(10_000) });
      }
    } finally {
      isEnded = true;
    }
  }

  it('pauses while its client does not read, and continues afterwards', async () => {
    const reader = eventStream(events(), assert.fail).getReader();
    for (let turn = 0; turn < 100; turn++) await setImmediate();
    const waiting = madeCount;
    assert.ok(waiting > 1 && waiting < 20, `${String(waiting)} events of 10 kB wait`);
    for (let i = 0; i <= waiting; i++)
      assert.match(new TextDecoder().decode((await reader.read()).value), /^data: .*\n\n$/);
    assert.ok(madeCount > waiting);
    await reader.cancel();
  });

  it('reports a client that stops reading for long, but not one that reads slowly', async () => {
    const clock = new ManualClock();
    let isStalled = false;
    const stream = eventStream(events(), () => (isStalled = true), 500);
    const reader = stream.getReader();
    for (let i = 0; i < 20; i++) {
      await reader.read();
      await clock.pass(499);
      assert.equal(isStalled, false);
    }
    await clock.pass(1);
    assert.equal(isStalled, true);
    await reader.cancel();
    assert.ok(isEnded);
  });

  it('ends when its client has disconnected', async () => {
    const clock = new ManualClock();
    let isStalled = false;
    const stream = eventStream(events(), () => (isStalled = true));
    for (let turn = 0; turn < 100; turn++) await setImmediate();
    await clock.pass(29_999);
    await stream.cancel();
    assert.ok(isEnded);
    await clock.pass(60_000);
    assert.equal(isStalled, false);
  });

  it('does not wait for a client that has disconnected while an event was made', async () => {
    async function* slowEvents() {
      for (let turn = 0; turn < 10; turn++) await setImmediate();
      yield {};
    }
    const clock = new ManualClock();
    let isStalled = false;
    const stream = eventStream(slowEvents(), () => (isStalled = true));
    await setImmediate();
    await stream.cancel();
    await clock.pass(60_000);
    assert.equal(isStalled, false);
  });
});
