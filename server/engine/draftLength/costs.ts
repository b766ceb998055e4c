// Milliseconds of passes by their rows, measured on this machine. Knows nothing of what they compute.

/** Two numbers per entry, such as rows and milliseconds. */
export type Pairs = readonly (readonly [number, number])[];

/**
 * Weight of a new measurement in the estimate of its own width, and in the estimates of the other widths: nearly as much,
 * or widths that were measured in a slow minute would stay too expensive to be used again.
 */
const OWN_SHARE = 0.3;
const COMMON_SHARE = 0.28;
/** A measurement counts as at most this much slower than expected: slowness can be an accident, speed is not. */
const MAX_RISE = 0.25;
/** How far the first measurement of a width may exceed what the others predict. */
const MAX_SURPRISE = 1;
/** Measurements needed before they are trusted: the first can have met cold caches. */
const FIRST_RUNS = 2;
/**
 * A width that was not used for so many measurements is unknown again: a slow accident would otherwise keep it out of use
 * for good. In a simulation where 4 rows take three times as long as 3, drafts that are right 95 times of 100 come to 0.92
 * of the best speed, and to 0.62 without it; on other curves it costs at most 0.7 %.
 */
const FORGOTTEN_AFTER = 256;

/** Measured, because kernels have steps that no formula foresees. */
export class CostTable {
  readonly #measured = new Map<number, { ms: number; runs: number; lastUse: number }>();
  #count = 0;

  constructor(
    /** Widths that were not measured deviate from it as their neighbours do. */
    private readonly guess: (rows: number) => number,
    known: Pairs = [],
  ) {
    for (const [rows, ms] of known) this.#measured.set(rows, { ms, runs: FIRST_RUNS, lastUse: 0 });
  }

  at(rows: number): number {
    let [below, above]: [number?, number?] = [];
    for (const each of this.#measured.keys()) {
      if (each <= rows && each > (below ?? 0)) below = each;
      if (each >= rows && each < (above ?? Infinity)) above = each;
    }
    const [low, high] = [below ?? above, above ?? below];
    if (low === undefined || high === undefined) return this.guess(rows);
    const part = high === low ? 0 : (rows - low) / (high - low);
    return this.guess(rows) * ((1 - part) * this.#ratio(low) + part * this.#ratio(high));
  }

  /** How often that width was measured, counted up to what is trusted. */
  isKnown(rows: number): boolean {
    return (this.#measured.get(rows)?.runs ?? 0) >= FIRST_RUNS;
  }

  /**
   * A machine that has become slower is slower for all widths, so each measurement moves the others nearly as far.
   * Otherwise a width that is no longer used would keep its old cost.
   */
  record(rows: number, ms: number): void {
    const expected = this.at(rows);
    const ratio = ms / expected;
    const runs = this.#measured.get(rows)?.runs ?? 0;
    if (runs >= FIRST_RUNS)
      for (const [each, cost] of this.#measured) if (each !== rows) cost.ms *= moved(ratio, COMMON_SHARE);
    const most = this.#measured.size > 0 ? 1 + MAX_SURPRISE : Infinity;
    const replaces = runs === 0 || (runs < FIRST_RUNS && ratio < 1);
    const next = replaces ? Math.min(most, ratio) : moved(ratio, OWN_SHARE);
    this.#count += 1;
    const known = { ms: expected * next, runs: Math.min(FIRST_RUNS, runs + 1), lastUse: this.#count };
    this.#measured.set(rows, known);
    this.#forget();
  }

  /** All but a plain step, which the speed of drafts is compared with. */
  #forget(): void {
    for (const [rows, { lastUse }] of this.#measured)
      if (rows > 1 && this.#count - lastUse > FORGOTTEN_AFTER) this.#measured.delete(rows);
  }

  snapshot(): Pairs {
    return [...this.#measured].filter(([rows]) => this.isKnown(rows)).map(([rows, { ms }]) => [rows, ms]);
  }

  #ratio(rows: number): number {
    return (this.#measured.get(rows)?.ms ?? NaN) / this.guess(rows);
  }
}

function moved(ratio: number, share: number): number {
  return 1 + share * Math.min(MAX_RISE, ratio - 1);
}
