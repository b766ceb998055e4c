// Notices that an output goes round in circles: its last tokens are one piece over and over. Told of every token in
// order, so that it ends an output at the same token however the rounds fall.

/** Tokens of the longest piece. */
const LONGEST = 24;
/** A circle is closed so many times, and is so many tokens in all: shorter ones are tables and rules of dashes. */
const TIMES = 4;
const LEAST = 32;

export class RepetitionGuard {
  readonly #last: number[] = [];
  /** Entry n counts the latest tokens that equal the one n + 1 places before them. */
  readonly #runs = Array<number>(LONGEST).fill(0);

  /** Whether `token` closes a circle for the last time. */
  push(token: number): boolean {
    let circles = false;
    for (const [i, run] of this.#runs.entries()) {
      const period = i + 1;
      const next = this.#last.at(-period) === token ? run + 1 : 0;
      this.#runs[i] = next;
      circles ||= next + period >= Math.max(LEAST, TIMES * period);
    }
    this.#last.push(token);
    if (this.#last.length > LONGEST) this.#last.shift();
    return circles;
  }
}
