// Gives ghost text priority: next edits wait while ghost text is being computed.

/** Longest wait of a next edit; after that, it comes too late to be useful. */
const LONGEST_WAIT_MS = 2000;
/**
 * Turns of the event loop in which the ghost text is sent, after other messages. A next edit begins with reading its
 * prompt, which would hold them up.
 */
const SENDING_TURNS = 8;

export class GhostTextTurns {
  #running = 0;
  readonly #waiting = new Set<() => void>();

  /** Runs a request for ghost text, for which next edits wait until it is sent. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#endAfter(SENDING_TURNS);
    }
  }

  /** Counts a request as ended after some turns of the event loop. */
  #endAfter(turns: number): void {
    if (turns > 0) {
      setImmediate(() => {
        this.#endAfter(turns - 1);
      });
      return;
    }
    this.#running -= 1;
    if (this.#running === 0) for (const go of this.#waiting) go();
  }

  /** Resolves once no request runs, after the longest wait, or when the signal aborts. */
  async quiet(signal: AbortSignal): Promise<void> {
    if (this.#running === 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      // eslint-disable-next-line @typescript-eslint/no-use-before-define -- the timer and its end name each other
      const timer = setTimeout(() => go(), LONGEST_WAIT_MS).unref();
      const go = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(go);
        signal.removeEventListener('abort', go);
        resolve();
      };
      this.#waiting.add(go);
      signal.addEventListener('abort', go, { once: true });
    });
  }
}
