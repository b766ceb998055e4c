// A clock that goes on when a test says so.
import type { Clock } from '../../server/lsp/modelPool';

export class ManualClock implements Clock {
  #now = 0;
  readonly #timers = new Map<() => void, number>();

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, work: () => void): () => void {
    const timer = (): void => {
      work();
    };
    this.#timers.set(timer, this.#now + milliseconds);
    return () => void this.#timers.delete(timer);
  }

  /** Does what is due meanwhile, in order, and lets what follows from it happen. */
  async pass(milliseconds: number): Promise<void> {
    await settled();
    const end = this.#now + milliseconds;
    for (;;) {
      const [timer, due = Infinity] = [...this.#timers].sort(([, a], [, b]) => a - b)[0] ?? [];
      if (timer === undefined || due > end) break;
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, due);
      timer();
      await settled();
    }
    this.#now = end;
    await settled();
  }
}

/** Resolves when whatever needs no more than its turn has happened. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
