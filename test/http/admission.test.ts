// Tests which HTTP requests run, wait or are refused. Requests of editors run immediately or are refused.
import assert from 'node:assert/strict';
import { Admission } from '../../server/http/admission';
import { HttpError } from '../../server/http/httpError';

/** A request that runs until it is ended. */
class Request {
  readonly #controller = new AbortController();
  isRunning = false;
  end: () => void = () => undefined;
  readonly ended: Promise<unknown>;

  constructor(admission: Admission, isEditor = false) {
    const work = (): Promise<void> =>
      new Promise((resolve) => {
        this.isRunning = true;
        this.end = resolve;
      });
    this.ended = admission.run(isEditor, this.#controller.signal, work).catch((error: unknown) => error);
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }
}

describe('the queue of HTTP requests', () => {
  it('removes only the aborted one of several waiting requests', async () => {
    const admission = new Admission({ running: 1, waiting: 8 });
    const [first, second, third, fourth] = Array.from({ length: 4 }, () => new Request(admission));
    assert.ok(first && second && third && fourth);
    const reason = new Error('its client has gone');
    third.abort(reason);
    assert.equal(await third.ended, reason);
    assert.equal(admission.waiting, 2);
    first.end();
    await first.ended;
    assert.deepEqual([second.isRunning, fourth.isRunning], [true, false]);
    second.end();
    await second.ended;
    assert.deepEqual([third.isRunning, fourth.isRunning], [false, true]);
    fourth.end();
    await fourth.ended;
    assert.deepEqual([admission.running, admission.waiting], [0, 0]);
  });

  it('keeps waiting requests when a running request is aborted', async () => {
    const admission = new Admission({ running: 1, waiting: 8 });
    const [first, second, third] = Array.from({ length: 3 }, () => new Request(admission));
    assert.ok(first && second && third);
    first.end();
    await first.ended;
    second.abort(new Error('late'));
    assert.equal(admission.waiting, 1);
    second.end();
    await second.ended;
    assert.ok(third.isRunning);
    third.end();
    await third.ended;
  });

  it('runs requests of editors up to the limit of waiting requests, and refuses more', async () => {
    const admission = new Admission({ running: 1, waiting: 2 });
    const [first, second, third] = Array.from({ length: 3 }, () => new Request(admission, true));
    assert.ok(first && second && third);
    assert.deepEqual([first.isRunning, second.isRunning, third.isRunning], [true, true, false]);
    assert.deepEqual([admission.running, admission.waiting], [2, 0]);
    const refused = await third.ended;
    assert.ok(refused instanceof HttpError && refused.status === 429);
    first.end();
    await first.ended;
    const next = new Request(admission, true);
    assert.ok(next.isRunning);
    for (const request of [second, next]) request.end();
  });

  it('frees the place of an editor’s request that fails', async () => {
    const admission = new Admission({ running: 1, waiting: 1 });
    const { signal } = new AbortController();
    const failing = admission.run(true, signal, () => Promise.reject(new Error('its client has gone')));
    await assert.rejects(failing, /its client has gone/);
    assert.equal(admission.running, 0);
    const next = new Request(admission, true);
    assert.ok(next.isRunning);
    next.end();
  });
});
