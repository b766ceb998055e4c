// A clock that a test advances: replaces the time and timers of the process until the test ends.
import { mock } from 'node:test';

let faked: readonly { readonly mock: { restore(): void } }[] = [];

/** Restores only what the clock has replaced. */
function restore(): void {
  for (const method of faked) method.mock.restore();
  faked = [];
}

afterEach(restore);

export class ManualClock {
  #now = 0;
  readonly #timers = new Map<NodeJS.Timeout, { readonly due: number; readonly work: () => void }>();

  /** Replaces any earlier clock. */
  constructor() {
    restore();
    const after = (work: () => void, milliseconds: number): NodeJS.Timeout => {
      const start = (): NodeJS.Timeout => {
        this.#timers.set(timer, { due: this.#now + milliseconds, work });
        return timer;
      };
      const timer = { unref: () => timer, refresh: start } as NodeJS.Timeout;
      return start();
    };
    const clearRealTimeout = globalThis.clearTimeout;
    const cancel = (timer?: string | number | NodeJS.Timeout): void => {
      // A timer that was set before this clock is a real one.
      if (!this.#timers.delete(timer as NodeJS.Timeout)) clearRealTimeout(timer);
    };
    faked = [
      mock.method(performance, 'now', () => this.#now),
      mock.method(globalThis, 'setTimeout', after as typeof setTimeout),
      mock.method(globalThis, 'clearTimeout', cancel),
    ];
  }

  /** Number of timers that are not due yet. */
  get timerCount(): number {
    return this.#timers.size;
  }

  /** Advances the clock, runs due timers in order, and lets their consequences happen. */
  async pass(milliseconds: number): Promise<void> {
    await settled();
    const end = this.#now + milliseconds;
    for (;;) {
      const [next] = [...this.#timers].sort(([, a], [, b]) => a.due - b.due);
      if (next === undefined || next[1].due > end) break;
      const [timer, { due, work }] = next;
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, due);
      work();
      await settled();
    }
    this.#now = end;
    await settled();
  }
}

/** Resolves once everything has happened that waits for no timer. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
