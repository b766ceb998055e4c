// Who may decode now. Editors' requests always may: between their steps and those of others the engine's scheduler decides.
// Of all others a few run at a time, so that not every waiting chat holds memory; the rest wait in their order, and no
// more than a limit. Knows no models.
import { HttpError } from './httpError';

export interface AdmissionLimits {
  /** Requests of others than editors that decode at a time. */
  readonly running: number;
  /** Requests that wait; the same number of editors' requests may run. */
  readonly waiting: number;
}

/** Seconds after which a client that was refused may try again: the time of a short output. */
const RETRY_AFTER = '2';

export class Admission {
  #running = 0;
  #editors = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(readonly limits: AdmissionLimits) {}

  get waiting(): number {
    return this.#waiting.length;
  }

  get running(): number {
    return this.#running + this.#editors;
  }

  /**
   * Does `work` in its turn. Throws HttpError at once if there is no room, and the reason of `signal` if that aborts
   * first.
   */
  async run(isEditor: boolean, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    signal.throwIfAborted();
    if (isEditor) {
      this.#requireRoom(this.#editors);
      this.#editors += 1;
      await work().finally(() => (this.#editors -= 1));
      return;
    }
    if (this.#running >= this.limits.running) await this.#wait(signal);
    else this.#running += 1;
    await work().finally(() => {
      const next = this.#waiting.shift();
      // Its place goes to the next one, so that nobody else can take it in between.
      if (next) next();
      else this.#running -= 1;
    });
  }

  async #wait(signal: AbortSignal): Promise<void> {
    this.#requireRoom(this.#waiting.length);
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal.reason as Error);
      };
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.push(start);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #requireRoom(taken: number): void {
    if (taken < this.limits.waiting) return;
    throw new HttpError(429, `The queue is full; try again in ${RETRY_AFTER} s`, {
      code: 'queue_full',
      headers: { 'retry-after': RETRY_AFTER },
    });
  }
}
