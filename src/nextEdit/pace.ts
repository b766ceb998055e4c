// Determines the pause before a request: longer after rejected suggestions, shorter after accepted ones.

const USUAL_MS = 100;
const LEAST_MS = 50;
const MOST_MS = 3000;
const SLOWER = 1.5;
const FASTER = 0.8;
const KEPT = 10;
/** Time after which a decision has no influence. */
const FORGOTTEN_MS = 10 * 60_000;

export class Pace {
  #decisions: readonly { readonly factor: number; readonly at: number }[] = [];

  constructor(private readonly now: () => number = () => performance.now()) {}

  accepted(): void {
    this.#decide(FASTER);
  }

  rejected(): void {
    this.#decide(SLOWER);
  }

  get delayMs(): number {
    let delay = USUAL_MS;
    for (const { factor, at } of this.#decisions) {
      const weight = Math.max(0, 1 - (this.now() - at) / FORGOTTEN_MS);
      delay *= factor ** weight;
    }
    return Math.min(MOST_MS, Math.max(LEAST_MS, delay));
  }

  #decide(factor: number): void {
    this.#decisions = [...this.#decisions, { factor, at: this.now() }].slice(-KEPT);
  }
}
