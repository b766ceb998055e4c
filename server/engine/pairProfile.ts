// What is known about a pair on this machine: how long passes take by their rows, and how often drafts are right. It
// outlives requests, and as a snapshot also the process. Knows neither files nor what it is used for.

import { ON_CPU } from '../rules/rowCost';
import { CostTable, type Pairs } from './draftLength/costTable';

export interface ProfileSnapshot {
  /** Rows and milliseconds of the widths that were measured: of the target, and by drafter name. */
  readonly verifyMs: Pairs;
  readonly draftMs: Readonly<Record<string, Pairs>>;
  /** Trials and successes by position and by confidence, by drafter and mode. */
  readonly rates: Readonly<Record<string, RatesSnapshot>>;
  /** Absent in what earlier versions stored, like the next one. */
  readonly decoded?: Decoded | undefined;
  /** Prompt tokens read in long passes. */
  readonly read?: Decoded | undefined;
}

/** What rounds that were free to draft came to, whatever drafted in them, or passes over prompts. Older ones weigh less. */
export interface Decoded {
  readonly tokens: number;
  readonly ms: number;
}

interface RatesSnapshot {
  readonly byPosition: Pairs;
  readonly byConfidence: Pairs;
}

/** Milliseconds of a plain step, before anything is measured. */
const STEP_GUESS = 20;
/** Of verifying this many rows. */
const DRAFT_GUESS = 0.4;
/** Decay per round of the tokens decoded and their time: a few days of suggestions count. */
const DECODED_DECAY = 0.9995;
/** Decay per pass over a prompt: a few prompts count, so that a machine that is busy or throttled shows. */
const READ_DECAY = 0.9;
/** Rows below which a pass over a prompt tells little of longer ones. */
const TELLING_ROWS = 64;
const NOTHING: Decoded = { tokens: 0, ms: 0 };

export class PairProfile {
  readonly verify: CostTable;
  readonly #drafts: Map<string, CostTable>;
  readonly #rates: Map<string, AcceptanceRates>;
  #decoded: Decoded;
  #read: Decoded;

  /** `rowCost`: the fraction of a plain step that each further row costs, until that is measured. */
  constructor(snapshot: Partial<ProfileSnapshot> = {}, rowCost = ON_CPU) {
    const { verifyMs, draftMs = {}, rates = {}, decoded = NOTHING, read = NOTHING } = snapshot;
    this.verify = new CostTable((rows) => STEP_GUESS * (1 + rowCost * (rows - 1)), verifyMs);
    this.#drafts = new Map(Object.entries(draftMs).map(([name, each]) => [name, this.#draftTable(each)]));
    this.#rates = new Map(Object.entries(rates).map(([name, each]) => [name, new AcceptanceRates(each)]));
    this.#decoded = decoded;
    this.#read = read;
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
    this.#decoded = added(this.#decoded, DECODED_DECAY, { tokens, ms });
  }

  /** Counts a pass that read so many tokens of a prompt. */
  recordPrefill(tokens: number, ms: number): void {
    if (tokens >= TELLING_ROWS) this.#read = added(this.#read, READ_DECAY, { tokens, ms });
  }

  /** Of prompts; undefined before one was read. */
  get prefillSpeed(): number | undefined {
    return this.#read.ms > 0 ? this.#read.tokens / this.#read.ms : undefined;
  }

  snapshot(): ProfileSnapshot {
    return {
      verifyMs: this.verify.snapshot(),
      draftMs: Object.fromEntries([...this.#drafts].map(([name, each]) => [name, each.snapshot()])),
      rates: Object.fromEntries([...this.#rates].map(([name, each]) => [name, each.snapshot()])),
      decoded: this.#decoded,
      read: this.#read,
    };
  }

  #draftTable(known?: Pairs): CostTable {
    return new CostTable((rows) => DRAFT_GUESS * this.verify.at(rows), known);
  }
}

function added(before: Decoded, decay: number, { tokens, ms }: Decoded): Decoded {
  return { tokens: decay * before.tokens + tokens, ms: decay * before.ms + ms };
}

function entry<T>(map: Map<string, T>, name: string, create: () => T): T {
  const value = map.get(name) ?? create();
  map.set(name, value);
  return value;
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
 * of the drafts after the first wrong one.
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
