// Events for a client that reads slowly, or not at all: the writer waits, and nothing piles up.
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { EventStream } from '../../server/http/generation';
import { HttpError } from '../../server/http/httpError';

const EVENT = { text: 'x'.repeat(10_000) };

/** Sends until the writer has to wait; returns how many events were taken, and the one that waits. */
async function fill(stream: EventStream): Promise<{ taken: number; waiting: Promise<unknown> }> {
  for (let taken = 0; taken < 1000; taken++) {
    let isSent = false;
    const waiting = stream.send(EVENT).then(
      () => (isSent = true),
      (error: unknown) => error,
    );
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    if (!isSent) return { taken, waiting };
  }
  return assert.fail('The writer never waited');
}

describe('a stream of events', () => {
  it('waits for a client that does not read, and goes on once it does', async () => {
    const stream = new EventStream();
    const { taken, waiting } = await fill(stream);
    assert.ok(taken < 20, `${String(taken)} events of 10 kB wait`);
    const reader = stream.body.getReader();
    for (let i = 0; i <= taken; i++)
      assert.match(new TextDecoder().decode((await reader.read()).value), /^data: /);
    assert.equal(await waiting, true);
  });

  it('ends with a reason for one that reads nothing for long', async () => {
    const stream = new EventStream(20);
    const { waiting } = await fill(stream);
    const error = await waiting;
    // The server closes the connection of a body that fails, without anybody reading from it.
    await assert.rejects(stream.body.getReader().closed);
    assert.ok(error instanceof HttpError && error.status === 408, String(error));
    await stream.send(EVENT);
  });

  it('does not wait for one that has gone', async () => {
    const stream = new EventStream();
    const { waiting } = await fill(stream);
    await stream.body.cancel();
    assert.equal(await waiting, true);
    await stream.send(EVENT);
    stream.close();
  });
});
