// The life of a request: it ends early when its client goes away, when it takes too long or when the server stops, each
// with an error that says so.
import { HttpError } from './httpError';

export class RequestLife {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.#timer = setTimeout(() => {
      this.#end(504, `an answer within ${String(timeoutMs / 1000)} s`, 'none', 'ask for less', 'timeout');
    }, timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Nobody reads the answer; its status is for the log. */
  clientGone(): void {
    this.#end(408, 'a client that waits', 'none', 'keep the connection open', 'client_closed_request');
  }

  serverStops(): void {
    this.#end(503, 'a running server', 'one that stops', 'try again later', 'server_stopping');
  }

  over(): void {
    clearTimeout(this.#timer);
  }

  #end(status: 408 | 503 | 504, expected: string, got: string, remedy: string, code: string): void {
    const type = status === 503 ? 'unavailable_error' : 'timeout_error';
    const message = `Expected ${expected}, got ${got}; ${remedy}`;
    this.#controller.abort(new HttpError(status, { message, type, code }));
  }
}
