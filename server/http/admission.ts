// Who may decode now. Editors' requests always may: between their steps and those of others the engine's scheduler decides.
// Of all others a few run at a time, so that not every waiting chat holds memory; the rest wait in their order, and no
// more than a limit. Knows neither HTTP nor models.

export interface AdmissionLimits {
  /** Requests of others than editors that decode at a time. */
  readonly running: number;
  /** Requests that wait; the same number of editors' requests may run. */
  readonly waiting: number;
}

/** There is no room for another request. */
export class Refused extends Error {}

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
   * Waits for its turn; the caller must call the returned function at the end. Throws Refused at once if there is no
   * room, and the reason of `signal` if that aborts first.
   */
  async enter(isEditor: boolean, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (isEditor) return this.#enterEditor();
    if (this.#running >= this.limits.running) await this.#wait(signal);
    else this.#running += 1;
    return once(() => {
      const next = this.#waiting.shift();
      // Its place goes to the next one, so that nobody else can take it in between.
      if (next) next();
      else this.#running -= 1;
    });
  }

  #enterEditor(): () => void {
    if (this.#editors >= this.limits.waiting) throw new Refused();
    this.#editors += 1;
    return once(() => (this.#editors -= 1));
  }

  async #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= this.limits.waiting) throw new Refused();
    let leave: (() => void) | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const start = (): void => {
          resolve();
        };
        leave = () => {
          const at = this.#waiting.indexOf(start);
          if (at >= 0) this.#waiting.splice(at, 1);
          reject(signal.reason as Error);
        };
        this.#waiting.push(start);
        signal.addEventListener('abort', leave, { once: true });
      });
    } finally {
      if (leave) signal.removeEventListener('abort', leave);
    }
  }
}

function once(work: () => unknown): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}
