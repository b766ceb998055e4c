// Pauses in typing that a test ends.
import type { Settle } from '../../server/completion/session/settle';

export class Pauses {
  readonly #ends = new Set<() => void>();
  startedCount = 0;

  /** Number of pauses that have not ended. */
  get waiting(): number {
    return this.#ends.size;
  }

  readonly settle: Settle = async (milliseconds, signal) => {
    if (milliseconds <= 0 || signal.aborted) return;
    this.startedCount += 1;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        this.#ends.delete(end);
        resolve();
      };
      this.#ends.add(end);
      signal.addEventListener('abort', end);
    });
  };

  /** Ends all pauses. */
  end(): void {
    for (const end of this.#ends) end();
  }
}
