// Ends a server that is there and answers nothing, as when memory ran out within a library that then waits for ever.
// The client starts another one, as after a crash.
import { Method } from '../server/protocol';
import type { FlashlineClient } from './client';
import { endProcess } from './reachServer';

/** Between two questions. */
const EVERY_MS = 10_000;
/** Reading a large model from a slow disk keeps a server busy, but not for three minutes. */
const MOST_MISSED = 18;

interface Log {
  readonly error: (line: string) => void;
}

export class Heartbeat {
  readonly #timer: NodeJS.Timeout;
  #isAsked = false;
  /** Beats since a question that has no answer. They stand still while the machine sleeps. */
  #missed = 0;

  constructor(
    private readonly client: Pick<FlashlineClient, 'isRunning' | 'request' | 'serverProcessId'>,
    private readonly log: Log,
    everyMs = EVERY_MS,
  ) {
    this.#timer = setInterval(() => {
      this.#beat();
    }, everyMs);
    this.#timer.unref();
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    const { isRunning, serverProcessId } = this.client;
    if (!this.#isAsked && isRunning) this.#ask();
    else if (this.#isAsked) this.#missed += 1;
    if (this.#missed < MOST_MISSED || serverProcessId === undefined) return;
    this.#missed = 0;
    this.log.error('The server has not answered for minutes; ending it.');
    void endProcess(serverProcessId);
  }

  #ask(): void {
    this.#isAsked = true;
    const answered = (): void => {
      this.#isAsked = false;
      this.#missed = 0;
    };
    // An error is an answer, too, also that the connection has ended.
    this.client.request(Method.alive, {}).then(answered, answered);
  }
}
