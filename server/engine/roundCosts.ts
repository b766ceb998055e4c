// What a round costs on this machine with this pair: verifying so many rows, and drafting. Measured, because kernels
// have steps that no formula foresees (speculative-decoding.md G.5).

/** Share of a new measurement in the estimate of its own width, and in those of the others. */
const OWN_SHARE = 0.3;
const COMMON_SHARE = 0.1;
/** One measurement raises nothing further than this: the machine does other things too. Nothing is fast by accident. */
const MAX_RISE = 0.25;
/** How far the first measurement of a width may exceed what the other widths made expect. */
const MAX_SURPRISE = 1;
/** So many measurements are needed before one is trusted: the first may have found cold caches. */
const FIRST_RUNS = 2;
/** So many rounds go by guesses before plain decoding is measured: a short request is over by then. */
const GUESSED_ROUNDS = 4;
/** Before anything was measured: each further row costs this part of a plain step, a draft that part. */
const ROW_GUESS = 0.05;
const DRAFT_GUESS = 0.4;

export interface CostsSnapshot {
  /** Milliseconds by rows, from 1. */
  readonly verifyMs: readonly number[];
  /** Milliseconds by drafter name, brought down to a pass of one row. */
  readonly draftMs: Readonly<Record<string, number>>;
  readonly calibrated: boolean;
}

export class RoundCosts {
  /** What the widths that were not measured are guessed from: only its proportions count. */
  readonly #shape: readonly number[];
  readonly #verifyMs: number[];
  /** Measurements by width, counted up to FIRST_RUNS. */
  readonly #runs: number[];
  readonly #draftMs: Map<string, number>;
  #calibrated: boolean;
  /** Measured by this process. */
  #rounds = 0;

  /** For rounds of up to `maxRows`; a snapshot of fewer rows is no use and is left out. */
  constructor(maxRows: number, snapshot?: CostsSnapshot) {
    const known = snapshot !== undefined && snapshot.verifyMs.length >= maxRows ? snapshot : undefined;
    this.#shape = Array.from(
      { length: maxRows },
      (_, rows) => known?.verifyMs[rows] ?? 20 * (1 + ROW_GUESS * rows),
    );
    this.#verifyMs = [...this.#shape];
    this.#draftMs = new Map(Object.entries(known?.draftMs ?? {}));
    this.#calibrated = known?.calibrated ?? false;
    this.#runs = Array<number>(maxRows).fill(this.#calibrated ? FIRST_RUNS : 0);
  }

  /** Whether every width was measured once, not only those that rounds happened to have. */
  get calibrated(): boolean {
    return this.#calibrated;
  }

  /** Whether it is time to measure what plain decoding costs, with which all else is compared. */
  get wantPlain(): boolean {
    return this.#rounds >= GUESSED_ROUNDS && (this.#runs[0] ?? 0) < FIRST_RUNS;
  }

  /** Milliseconds for verifying `rows`, the anchor's included. */
  verify(rows: number): number {
    return this.#verifyMs[Math.min(rows, this.#verifyMs.length) - 1] ?? NaN;
  }

  /** Milliseconds for a pass of `rows` of the drafter of that name. */
  draft(name: string, rows: number): number {
    return (this.#draftMs.get(name) ?? DRAFT_GUESS * this.verify(1)) * this.#widening(rows);
  }

  recordDraft(name: string, rows: number, milliseconds: number): void {
    const [before, measured] = [this.#draftMs.get(name), milliseconds / this.#widening(rows)];
    this.#draftMs.set(name, before === undefined ? measured : before * moved(measured / before, OWN_SHARE));
  }

  /** How many times as long as a pass of one row one of `rows` takes: in a drafter as in the target. */
  #widening(rows: number): number {
    return this.verify(rows) / this.verify(1);
  }

  /** A machine that has become slower is slower for all widths, so each measurement moves the others a little. */
  recordVerify(rows: number, milliseconds: number): void {
    const own = rows - 1;
    this.#rounds += 1;
    // The very first round waits for memory and code that no other waits for.
    if (this.#rounds === 1 && !this.#calibrated) return;
    // A round that also read the end of a prompt may be wider than any other.
    if (own >= this.#verifyMs.length) return;
    const ratio = milliseconds / this.verify(rows);
    const runs = this.#runs[own] ?? FIRST_RUNS;
    const most = this.#runs.some((each) => each > 0) ? 1 + MAX_SURPRISE : Infinity;
    const replaces = runs === 0 || (runs < FIRST_RUNS && ratio < 1);
    for (const [i, before] of this.#verifyMs.entries()) {
      if (i === own)
        this.#verifyMs[i] = before * (replaces ? Math.min(most, ratio) : moved(ratio, OWN_SHARE));
      else if (!replaces) this.#verifyMs[i] = before * moved(ratio, COMMON_SHARE);
    }
    if (runs < FIRST_RUNS) this.#runs[own] = runs + 1;
    this.#guessUnmeasured();
  }

  /** Takes measurements of some widths, by rows; those between them are interpolated. */
  calibrate(measured: ReadonlyMap<number, number>): void {
    const points = [...measured].sort(([a], [b]) => a - b);
    for (const i of this.#verifyMs.keys()) this.#verifyMs[i] = interpolated(points, i + 1);
    this.#runs.fill(FIRST_RUNS);
    this.#calibrated = true;
  }

  /** They deviate from the guess as the measured widths next to them do. */
  #guessUnmeasured(): void {
    const points = [...this.#verifyMs.entries()]
      .filter(([i]) => (this.#runs[i] ?? 0) > 0)
      .map(([i, milliseconds]) => [i + 1, milliseconds / (this.#shape[i] ?? 1)] as const);
    for (const [i, guess] of this.#shape.entries())
      if (this.#runs[i] === 0) this.#verifyMs[i] = guess * interpolated(points, i + 1);
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
  return 1 + share * Math.min(MAX_RISE, ratio - 1);
}

function interpolated(points: readonly (readonly [number, number])[], rows: number): number {
  const above = points.find(([at]) => at >= rows);
  const below = points.findLast(([at]) => at <= rows);
  const [[fromRows, from], [toRows, to]] = [below ?? above ?? [0, NaN], above ?? below ?? [0, NaN]];
  return toRows === fromRows ? from : from + ((to - from) * (rows - fromRows)) / (toRows - fromRows);
}
