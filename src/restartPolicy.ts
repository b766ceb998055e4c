// How often a server that ends by itself is started again: five crashes within three minutes are too many.

const WINDOW_MS = 3 * 60_000;
const MAX_RESTARTS = 4;

export class RestartPolicy {
  #crashes: number[] = [];

  /** Counts a crash; whether to start again. */
  mayRestart(now: number): boolean {
    this.#crashes = [...this.#crashes.filter((at) => now - at < WINDOW_MS), now];
    return this.#crashes.length <= MAX_RESTARTS;
  }

  reset(): void {
    this.#crashes = [];
  }
}
