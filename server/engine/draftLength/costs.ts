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
    /** Milliseconds before anything is measured; unmeasured widths deviate from it as their neighbours do. */
    private readonly guess: (rows: number) => number,
    known: Pairs = [],
  ) {
    for (const [rows, ms] of known) this.#measured.set(rows, { ms, runs: FIRST_RUNS, lastUse: 0 });
  }

  at(rows: number): number {
    const guess = this.guess(rows);
    // A width of the same tile says more than a nearer one outside.
    const inTile = (width: number): boolean => this.#shareTile(width, rows);
    const [low, high] = this.#nearest(rows, inTile) ?? this.#nearest(rows) ?? [];
    if (low === undefined || high === undefined) return guess;
    const part = high === low ? 0 : (rows - low) / (high - low);
    return guess * ((1 - part) * this.#ratio(low) + part * this.#ratio(high));
  }

  /** The nearest measured widths on both sides of `rows`, one of them twice where the other side has none. */
  #nearest(
    rows: number,
    isEligible: (width: number) => boolean = () => true,
  ): readonly [number, number] | undefined {
    let [below, above]: [number?, number?] = [];
    for (const width of this.#measured.keys()) {
      if (!isEligible(width)) continue;
      if (width <= rows && width > (below ?? 0)) below = width;
      if (width >= rows && width < (above ?? Infinity)) above = width;
    }
    const [low, high] = [below ?? above, above ?? below];
    return low === undefined || high === undefined ? undefined : [low, high];
  }

  /** Whether the pass runs in a tile, in which all widths are expected to cost the same. */
  isTile(rows: number): boolean {
    return this.#shareTile(rows, rows - 1);
  }

  /** Whether the pass runs in a tile whose cost is a guess so far. */
  isUnknownTile(rows: number): boolean {
    if (!this.isTile(rows)) return false;
    const inTile = [...this.#measured].filter(([width]) => this.#shareTile(width, rows));
    return inTile.reduce((sum, [, { runs }]) => sum + runs, 0) < FIRST_RUNS;
  }

  /** Whether both widths have the same guess. */
  #shareTile(width: number, other: number): boolean {
    return this.guess(width) === this.guess(other);
  }

  /** Whether that width was measured often enough to be trusted. */
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
      for (const [width, cost] of this.#measured) if (width !== rows) cost.ms *= moved(ratio, COMMON_SHARE);
    const most = this.#measured.size > 0 ? 1 + MAX_SURPRISE : Infinity;
    const replaces = runs === 0 || (runs < FIRST_RUNS && ratio < 1);
    const next = replaces ? Math.min(most, ratio) : moved(ratio, OWN_SHARE);
    this.#count += 1;
    const known = { ms: expected * next, runs: Math.min(FIRST_RUNS, runs + 1), lastUse: this.#count };
    this.#measured.set(rows, known);
    this.#forget();
  }

  /** Never forgets a plain step, which the speed of drafts is compared with. */
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
