// The life of a request: it ends early when its client goes away, when it takes too long or when the server stops, each
// with an error that says so.
import { HttpError } from './httpError';

export class RequestLife {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.#timer = setTimeout(() => {
      const limit = `${String(timeoutMs / 1000)} s`;
      this.#end(504, `Expected an answer within ${limit}, got none; ask for less`, 'timeout');
    }, timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Nobody reads the answer; its status is for the log. */
  clientGone(): void {
    this.#end(408, 'The client closed the connection', 'client_closed_request');
  }

  serverStops(): void {
    this.#end(503, 'The server is stopping; try again later', 'server_stopping');
  }

  over(): void {
    clearTimeout(this.#timer);
  }

  #end(status: 408 | 503 | 504, message: string, code: string): void {
    const type = status === 503 ? 'unavailable_error' : 'timeout_error';
    this.#controller.abort(new HttpError(status, { message, type, code }));
  }
}
