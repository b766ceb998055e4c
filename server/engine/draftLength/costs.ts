// Measured milliseconds of a pass by its width, which is its number of rows. The passes of the target have one table,
// those of each drafter another.

/** A list of pairs of numbers, such as rows and milliseconds. */
export type NumberPairs = readonly (readonly [number, number])[];

/**
 * Weight of a new measurement in the estimate of the measured width and in those of all other widths. The second is
 * nearly as large, because a width measured in a slow minute would otherwise stay too expensive to be used again.
 */
const MEASURED_WIDTH_WEIGHT = 0.3;
const OTHER_WIDTHS_WEIGHT = 0.28;
/** Largest relative slowdown that one measurement can report. Being slow can be an accident; being fast cannot. */
const MAX_RISE = 0.25;
/** Largest relative excess of a width's first measurement over the estimate from the other widths. */
const MAX_SURPRISE = 1;
/** Measurements of a width before it is trusted: the first can run with cold caches. */
const FIRST_RUNS = 2;
/**
 * Measurements after which an unused width is forgotten; a single slow run would otherwise keep it out of use for good.
 * In a simulation where 4 rows take three times as long as 3 and 95 % of the drafts are right, decoding reaches 0.92 of
 * the best speed with this rule and 0.62 without. On other cost curves the rule costs at most 0.7 %.
 */
const FORGOTTEN_AFTER = 256;

/** A table of measured costs, because kernels have steps that no formula predicts. */
export class CostTable {
  readonly #measured = new Map<number, { ms: number; runs: number; lastUse: number }>();
  #count = 0;

  constructor(
    /** Guessed milliseconds. An unmeasured width deviates from its guess as its measured neighbours do from theirs. */
    private readonly guess: (rows: number) => number,
    measured: NumberPairs = [],
  ) {
    for (const [rows, ms] of measured) this.#measured.set(rows, { ms, runs: FIRST_RUNS, lastUse: 0 });
  }

  /** Returns the estimated milliseconds of a pass of `rows`. */
  at(rows: number): number {
    const guess = this.guess(rows);
    // A width in the same tile predicts better than a nearer width outside it.
    const inTile = (width: number): boolean => this.#shareTile(width, rows);
    const [low, high] = this.#nearest(rows, inTile) ?? this.#nearest(rows) ?? [];
    if (low === undefined || high === undefined) return guess;
    const part = high === low ? 0 : (rows - low) / (high - low);
    return guess * ((1 - part) * this.#ratio(low) + part * this.#ratio(high));
  }

  /** Returns the nearest measured widths below and above `rows`; the same width twice if one side has none. */
  #nearest(
    rows: number,
    isEligible: (width: number) => boolean = () => true,
  ): readonly [number, number] | undefined {
    let below: number | undefined;
    let above: number | undefined;
    for (const width of this.#measured.keys()) {
      if (!isEligible(width)) continue;
      if (width <= rows && width > (below ?? 0)) below = width;
      if (width >= rows && width < (above ?? Infinity)) above = width;
    }
    const low = below ?? above;
    const high = above ?? below;
    return low === undefined || high === undefined ? undefined : [low, high];
  }

  /**
   * Returns whether a pass of `rows` is expected to cost the same as a pass of one row fewer. Such neighbouring widths
   * form a tile.
   */
  continuesTile(rows: number): boolean {
    return this.#shareTile(rows, rows - 1);
  }

  /** Returns whether a pass of `rows` continues a tile whose cost is still a guess. */
  isUnknownTile(rows: number): boolean {
    if (!this.continuesTile(rows)) return false;
    const inTile = [...this.#measured].filter(([width]) => this.#shareTile(width, rows));
    return inTile.reduce((sum, [, { runs }]) => sum + runs, 0) < FIRST_RUNS;
  }

  /** Returns whether both widths have the same guess. */
  #shareTile(width: number, otherWidth: number): boolean {
    return this.guess(width) === this.guess(otherWidth);
  }

  /** Returns whether a width was measured often enough to be trusted. */
  isKnown(rows: number): boolean {
    return (this.#measured.get(rows)?.runs ?? 0) >= FIRST_RUNS;
  }

  /**
   * Records a measurement. A machine that slows down does so for all widths, so the estimates of the other widths move
   * nearly as far; a width that is no longer used would otherwise keep its old cost.
   */
  record(rows: number, ms: number): void {
    const expected = this.at(rows);
    const ratio = ms / expected;
    const runs = this.#measured.get(rows)?.runs ?? 0;
    if (runs >= FIRST_RUNS)
      for (const [width, cost] of this.#measured)
        if (width !== rows) cost.ms *= moved(ratio, OTHER_WIDTHS_WEIGHT);
    const maxRatio = this.#measured.size > 0 ? 1 + MAX_SURPRISE : Infinity;
    // A faster second measurement replaces the first, which can have run with cold caches.
    const replaces = runs === 0 || (runs < FIRST_RUNS && ratio < 1);
    const factor = replaces ? Math.min(maxRatio, ratio) : moved(ratio, MEASURED_WIDTH_WEIGHT);
    this.#count += 1;
    const cell = { ms: expected * factor, runs: Math.min(FIRST_RUNS, runs + 1), lastUse: this.#count };
    this.#measured.set(rows, cell);
    this.#forget();
  }

  /** Drops widths that were not used recently, except the plain step, which all drafts are compared with. */
  #forget(): void {
    for (const [rows, { lastUse }] of this.#measured)
      if (rows > 1 && this.#count - lastUse > FORGOTTEN_AFTER) this.#measured.delete(rows);
  }

  /** Returns the trusted estimates: rows and milliseconds. */
  snapshot(): NumberPairs {
    return [...this.#measured].filter(([rows]) => this.isKnown(rows)).map(([rows, { ms }]) => [rows, ms]);
  }

  #ratio(rows: number): number {
    return (this.#measured.get(rows)?.ms ?? NaN) / this.guess(rows);
  }
}

/** Returns the factor that moves an estimate by `weight` of the way to `ratio` times itself, within MAX_RISE. */
function moved(ratio: number, weight: number): number {
  return 1 + weight * Math.min(MAX_RISE, ratio - 1);
}
