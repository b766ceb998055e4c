// Admits requests. Those of editors run immediately, and the engine's scheduler prefers them. Of all other requests, a
// few run at a time, so that waiting chats hold no memory; the rest wait in order, up to a limit.
import { HttpError } from './httpError';

export interface AdmissionLimits {
  /** Maximum number of requests that decode at a time, not counting those of editors. */
  readonly running: number;
  /** Maximum number of requests that wait, and of editors' requests that run at a time. */
  readonly waiting: number;
}

/** Seconds after which a refused client can try again: the time of a short output. */
const RETRY_AFTER = '2';

export class Admission {
  #runningCount = 0;
  #editorCount = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(readonly limits: AdmissionLimits) {}

  get waiting(): number {
    return this.#waiting.length;
  }

  get running(): number {
    return this.#runningCount + this.#editorCount;
  }

  /**
   * Runs `work` in its turn. Throws HttpError immediately if the queue is full, and the reason of `signal` if that
   * aborts while the request waits.
   */
  async run(isEditor: boolean, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    signal.throwIfAborted();
    if (isEditor) {
      this.#requireRoom(this.#editorCount);
      this.#editorCount += 1;
      await work().finally(() => (this.#editorCount -= 1));
      return;
    }
    if (this.#runningCount >= this.limits.running) await this.#wait(signal);
    else this.#runningCount += 1;
    await work().finally(() => {
      const next = this.#waiting.shift();
      // The count is passed on to the next request, so that no other can take its place in between.
      if (next) next();
      else this.#runningCount -= 1;
    });
  }

  async #wait(signal: AbortSignal): Promise<void> {
    this.#requireRoom(this.#waiting.length);
    const waiting = this.#waiting;
    await new Promise<void>((resolve, reject) => {
      function start(): void {
        signal.removeEventListener('abort', leave);
        resolve();
      }
      function leave(): void {
        waiting.splice(waiting.indexOf(start), 1);
        reject(signal.reason as Error);
      }
      waiting.push(start);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #requireRoom(taken: number): void {
    if (taken < this.limits.waiting) return;
    throw new HttpError(429, `The queue is full. Try again in ${RETRY_AFTER} s.`, {
      code: 'queue_full',
      headers: { 'retry-after': RETRY_AFTER },
    });
  }
}
