// What is known about a pair on this machine: how long passes take by their rows, and how often drafts are right. It
// outlives requests, and as a snapshot also the process. Knows neither files nor what it is used for.

export type Pairs = readonly (readonly [number, number])[];

export interface ProfileSnapshot {
  /** Rows and milliseconds of the widths that were measured: of the target, and by drafter name. */
  readonly verifyMs: Pairs;
  readonly draftMs: Readonly<Record<string, Pairs>>;
  /** Trials and successes by position and by confidence, by drafter and mode. */
  readonly rates: Readonly<Record<string, RatesSnapshot>>;
  /** Absent in what earlier versions stored. */
  readonly decoded?: Decoded | undefined;
}

/** What rounds that were free to draft came to, whatever drafted in them. Older ones weigh less. */
export interface Decoded {
  readonly tokens: number;
  readonly ms: number;
}

interface RatesSnapshot {
  readonly byPosition: Pairs;
  readonly byConfidence: Pairs;
}

/** Before anything is measured: milliseconds of a plain step, and the fraction of it that each further row costs. */
const STEP_GUESS = 20;
const ROW_GUESS = 0.05;
/** Of verifying this many rows. */
const DRAFT_GUESS = 0.4;
/** Decay per round of the tokens decoded and their time: a few days of suggestions count. */
const DECODED_DECAY = 0.9995;

export class PairProfile {
  readonly verify: CostTable;
  readonly #drafts: Map<string, CostTable>;
  readonly #rates: Map<string, AcceptanceRates>;
  #decoded: Decoded;

  constructor(snapshot?: ProfileSnapshot) {
    this.verify = new CostTable((rows) => STEP_GUESS * (1 + ROW_GUESS * (rows - 1)), snapshot?.verifyMs);
    const { draftMs = {}, rates = {} } = snapshot ?? {};
    this.#drafts = new Map(Object.entries(draftMs).map(([name, each]) => [name, this.#draftTable(each)]));
    this.#rates = new Map(Object.entries(rates).map(([name, each]) => [name, new AcceptanceRates(each)]));
    this.#decoded = snapshot?.decoded ?? { tokens: 0, ms: 0 };
  }

  draft(drafter: string): CostTable {
    return entry(this.#drafts, drafter, () => this.#draftTable());
  }

  /** `name` is that of a drafter with the way in which drafts are accepted. */
  rates(name: string): AcceptanceRates {
    return entry(this.#rates, name, () => new AcceptanceRates());
  }

  /** Counts a round, its drafts included. */
  recordRound(tokens: number, ms: number): void {
    const { tokens: earlier, ms: earlierMs } = this.#decoded;
    this.#decoded = { tokens: DECODED_DECAY * earlier + tokens, ms: DECODED_DECAY * earlierMs + ms };
  }

  snapshot(): ProfileSnapshot {
    return {
      verifyMs: this.verify.snapshot(),
      draftMs: Object.fromEntries([...this.#drafts].map(([name, each]) => [name, each.snapshot()])),
      rates: Object.fromEntries([...this.#rates].map(([name, each]) => [name, each.snapshot()])),
      decoded: this.#decoded,
    };
  }

  #draftTable(known?: Pairs): CostTable {
    return new CostTable((rows) => DRAFT_GUESS * this.verify.at(rows), known);
  }
}

function entry<T>(map: Map<string, T>, name: string, create: () => T): T {
  const value = map.get(name) ?? create();
  map.set(name, value);
  return value;
}

/**
 * Weight of a new measurement in the estimate of its own width, and in those of the others: nearly as much, or widths
 * that were measured in a slow minute would stay too expensive to be used again.
 */
const OWN_SHARE = 0.3;
const COMMON_SHARE = 0.28;
/** A measurement counts as at most this much slower than expected: slowness may be an accident, speed is not. */
const MAX_RISE = 0.25;
/** How far the first measurement of a width may exceed what the others predict. */
const MAX_SURPRISE = 1;
/** Measurements needed before they are trusted: the first may have met cold caches. */
const FIRST_RUNS = 2;

/** Milliseconds of passes by rows, measured, because kernels have steps that no formula foresees. */
export class CostTable {
  readonly #measured = new Map<number, { ms: number; runs: number }>();

  constructor(
    /** Widths that were not measured deviate from it as their neighbours do. */
    private readonly guess: (rows: number) => number,
    known: Pairs = [],
  ) {
    for (const [rows, ms] of known) this.#measured.set(rows, { ms, runs: FIRST_RUNS });
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
    this.#measured.set(rows, { ms: expected * next, runs: Math.min(FIRST_RUNS, runs + 1) });
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

/** Each new observation takes this share of the weight from all older ones of its kind. */
const DECAY = 0.99;
/** Decay of the older ones in a round without any. */
const AGEING = 0.998;
/** How many observations the coarser estimate is worth, so that a few of its own do not move a rate far. */
const POSITION_PRIOR_WEIGHT = 6;
const CONFIDENCE_PRIOR_WEIGHT = 4;
/** Before anything was observed: of any draft, and of those of each confidence. */
const POOLED_PRIOR = 0.65;
const CONFIDENCE_STEPS = [0.2, 0.4, 0.6, 0.75, 0.87, 0.95, 0.99];
const CONFIDENCE_PRIORS = [0.3, 0.4, 0.55, 0.7, 0.8, 0.9, 0.95, 0.98];

/** Trials and successes, both decayed. */
type Counts = readonly [trials: number, successes: number];

const NONE: Counts = [0, 0];

/**
 * How often the next draft of a drafter is accepted if all before it are. Only what was judged counts: nothing is known
 * of the drafts after the first wrong one (speculative-decoding.md G.5).
 */
export class AcceptanceRates {
  readonly #byPosition: Counts[];
  readonly #byConfidence: Counts[];

  constructor({ byPosition, byConfidence }: RatesSnapshot = { byPosition: [], byConfidence: [] }) {
    this.#byPosition = [...byPosition];
    this.#byConfidence = [...byConfidence];
  }

  /** Of the draft at `position`, from 0, before it is made. */
  at(position: number): number {
    const all = this.#byPosition.reduce<Counts>(([t, s], counts) => [t + counts[0], s + counts[1]], NONE);
    const anywhere = rate(all, POOLED_PRIOR, POSITION_PRIOR_WEIGHT);
    return rate(this.#byPosition[position], anywhere, POSITION_PRIOR_WEIGHT);
  }

  /** Of a draft with this confidence of its drafter. */
  atConfidence(confidence: number): number {
    const step = stepOf(confidence);
    const prior = CONFIDENCE_PRIORS[step] ?? POOLED_PRIOR;
    return rate(this.#byConfidence[step], prior, CONFIDENCE_PRIOR_WEIGHT);
  }

  /** Learns from drafts of which the first `accepted` were right and the next one, if any, wrong. */
  record(confidence: readonly number[], accepted: number): void {
    for (const [position, each] of confidence.slice(0, accepted + 1).entries()) {
      observe(this.#byPosition, position, position < accepted);
      observe(this.#byConfidence, stepOf(each), position < accepted);
    }
  }

  /** Reduces the weight of what was observed, after this many rounds without observations. */
  age(rounds: number): void {
    const left = AGEING ** rounds;
    for (const counts of [this.#byPosition, this.#byConfidence])
      for (const [i, [trials, successes]] of counts.entries()) counts[i] = [trials * left, successes * left];
  }

  snapshot(): RatesSnapshot {
    return { byPosition: [...this.#byPosition], byConfidence: [...this.#byConfidence] };
  }
}

function stepOf(confidence: number): number {
  return CONFIDENCE_STEPS.filter((step) => confidence > step).length;
}

function rate([trials, successes]: Counts = NONE, prior: number, weight: number): number {
  return (successes + weight * prior) / (trials + weight);
}

function observe(counts: Counts[], index: number, success: boolean): void {
  while (counts.length < index) counts.push(NONE);
  const [trials, successes] = counts[index] ?? NONE;
  counts[index] = [trials * DECAY + 1, successes * DECAY + (success ? 1 : 0)];
}
