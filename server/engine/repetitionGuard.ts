// Detects an output that repeats itself: its last tokens are one sequence over and over.

/** Longest repeated sequence that is detected, in tokens. */
const MAX_PERIOD = 24;
/** Repetitions, and tokens in total, before a sequence counts: less is usual in tables and rows of dashes. */
const MIN_REPETITIONS = 4;
const MIN_TOKENS = 32;

export class RepetitionGuard {
  readonly #lastTokens: number[] = [];
  /** Entry n counts the latest tokens in a row that each equal the token n + 1 positions earlier. */
  readonly #runs = Array<number>(MAX_PERIOD).fill(0);

  /**
   * Takes the next token and returns whether it completes a repetition. Depends on the tokens alone, so an output ends
   * at the same token wherever rounds begin.
   */
  push(token: number): boolean {
    let isRepetition = false;
    for (const [i, run] of this.#runs.entries()) {
      const period = i + 1;
      const newRun = this.#lastTokens.at(-period) === token ? run + 1 : 0;
      this.#runs[i] = newRun;
      isRepetition ||= newRun + period >= Math.max(MIN_TOKENS, MIN_REPETITIONS * period);
    }
    this.#lastTokens.push(token);
    if (this.#lastTokens.length > MAX_PERIOD) this.#lastTokens.shift();
    return isRepetition;
  }
}
