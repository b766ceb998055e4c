// What a round costs on this machine with this pair: verifying so many rows, and drafting. Measured, because kernels
// have steps that no formula foresees (speculative-decoding.md G.5).

/** Share of a new measurement in the estimate of its own width, and in those of the others. */
const OWN_SHARE = 0.3;
const COMMON_SHARE = 0.1;
/** One measurement moves nothing further than this: the machine does other things too. */
const MAX_CHANGE = 0.25;
/** Before anything was measured: each further row costs this part of a plain step, a draft that part. */
const ROW_GUESS = 0.05;
const DRAFT_GUESS = 0.4;

export interface CostsSnapshot {
  /** Milliseconds by rows, from 1. */
  readonly verifyMs: readonly number[];
  /** Milliseconds by drafter name. */
  readonly draftMs: Readonly<Record<string, number>>;
  readonly calibrated: boolean;
}

export class RoundCosts {
  readonly #verifyMs: number[];
  readonly #draftMs: Map<string, number>;
  #calibrated: boolean;
  #measured: boolean;

  /** For rounds of up to `maxRows`; a snapshot of fewer rows is no use and is left out. */
  constructor(maxRows: number, snapshot?: CostsSnapshot) {
    const known = snapshot !== undefined && snapshot.verifyMs.length >= maxRows ? snapshot : undefined;
    this.#verifyMs = Array.from(
      { length: maxRows },
      (_, rows) => known?.verifyMs[rows] ?? 20 * (1 + ROW_GUESS * rows),
    );
    this.#draftMs = new Map(Object.entries(known?.draftMs ?? {}));
    this.#calibrated = known?.calibrated ?? false;
    this.#measured = known !== undefined;
  }

  /** Whether every width was measured once, not only those that rounds happened to have. */
  get calibrated(): boolean {
    return this.#calibrated;
  }

  /** Milliseconds for verifying `rows`, the anchor's included. */
  verify(rows: number): number {
    return this.#verifyMs[Math.min(rows, this.#verifyMs.length) - 1] ?? NaN;
  }

  /** Milliseconds for a draft of the drafter of that name. */
  draft(name: string): number {
    return this.#draftMs.get(name) ?? DRAFT_GUESS * this.verify(1);
  }

  recordDraft(name: string, milliseconds: number): void {
    const before = this.#draftMs.get(name);
    this.#draftMs.set(
      name,
      before === undefined ? milliseconds : before * moved(milliseconds / before, OWN_SHARE),
    );
  }

  /** A machine that has become slower is slower for all widths, so each measurement moves the others a little. */
  recordVerify(rows: number, milliseconds: number): void {
    const ratio = milliseconds / this.verify(rows);
    for (const [i, before] of this.#verifyMs.entries()) {
      const share = i === rows - 1 ? OWN_SHARE : COMMON_SHARE;
      // The first one says what the guesses are worth.
      this.#verifyMs[i] = before * (this.#measured ? moved(ratio, share) : ratio);
    }
    this.#measured = true;
  }

  /** Takes measurements of some widths, by rows; those between them are interpolated. */
  calibrate(measured: ReadonlyMap<number, number>): void {
    const points = [...measured].sort(([a], [b]) => a - b);
    for (const i of this.#verifyMs.keys()) this.#verifyMs[i] = interpolated(points, i + 1);
    this.#calibrated = this.#measured = true;
  }

  snapshot(): CostsSnapshot {
    return {
      verifyMs: [...this.#verifyMs],
      draftMs: Object.fromEntries(this.#draftMs),
      calibrated: this.#calibrated,
    };
  }
}

function moved(ratio: number, share: number): number {
  return 1 + share * Math.min(MAX_CHANGE, Math.max(-MAX_CHANGE, ratio - 1));
}

function interpolated(points: readonly (readonly [number, number])[], rows: number): number {
  const above = points.find(([at]) => at >= rows);
  const below = points.findLast(([at]) => at <= rows);
  const [[fromRows, from], [toRows, to]] = [below ?? above ?? [0, NaN], above ?? below ?? [0, NaN]];
  return toRows === fromRows ? from : from + ((to - from) * (rows - fromRows)) / (toRows - fromRows);
}
