// Everything that was measured of a pair on this machine: how long passes take by their rows, how often drafts are right,
// and how fast it decodes and reads. It outlives requests, and as a snapshot also the process. Knows no files.
import { ON_CPU, passCost, type RowFacts } from '../../rules/rowCost';
import { AcceptanceRates, type RatesSnapshot } from './acceptanceRates';
import { CostTable, type Pairs } from './costs';

export interface ProfileSnapshot {
  /** Rows and milliseconds of the measured widths: of the target, and by drafter name. */
  readonly verifyMs: Pairs;
  readonly draftMs: Readonly<Record<string, Pairs>>;
  /** Trials and successes by position and by confidence, by drafter and mode. */
  readonly rates: Readonly<Record<string, RatesSnapshot>>;
  /** Absent in snapshots of earlier versions, like the next one. */
  readonly decoded?: Throughput | undefined;
  /** Prompt tokens read in long passes. */
  readonly read?: Throughput | undefined;
}

/** Decayed tokens and time of unconstrained rounds or prefill passes. */
export interface Throughput {
  readonly tokens: number;
  readonly ms: number;
}

/** Milliseconds of a plain step, before anything is measured. */
const STEP_GUESS = 20;
/** Cost of a drafter's pass as a share of verifying as many rows with dense weights, before it is measured. */
const DRAFT_GUESS = 0.4;
/** Decay per round of the tokens decoded and their time: a few days of suggestions count. */
const DECODED_DECAY = 0.9995;
/** Decay per pass over a prompt: a few prompts count, so that a machine that is busy or throttled shows. */
const READ_DECAY = 0.9;
/** Rows below which a pass over a prompt says little of longer ones. */
const LEAST_PREFILL_ROWS = 64;
const NOTHING: Throughput = { tokens: 0, ms: 0 };

export class PairProfile {
  readonly verify: CostTable;
  readonly #drafts: Map<string, CostTable>;
  readonly #rates: Map<string, AcceptanceRates>;
  #decoded: Throughput;
  #read: Throughput;

  constructor(
    snapshot: Partial<ProfileSnapshot> = {},
    /** How the target computes, which says what rows cost until that is measured. */
    private readonly facts: RowFacts = ON_CPU,
  ) {
    const { verifyMs, draftMs = {}, rates = {}, decoded = NOTHING, read = NOTHING } = snapshot;
    this.verify = new CostTable((rows) => STEP_GUESS * passCost(facts, rows), verifyMs);
    this.#drafts = new Map(Object.entries(draftMs).map(([name, known]) => [name, this.#draftTable(known)]));
    this.#rates = new Map(Object.entries(rates).map(([name, known]) => [name, new AcceptanceRates(known)]));
    this.#decoded = decoded;
    this.#read = read;
  }

  draft(drafter: string): CostTable {
    return entry(this.#drafts, drafter, () => this.#draftTable());
  }

  /** `name` is the drafter's, with the way in which drafts are accepted. */
  rates(name: string): AcceptanceRates {
    return entry(this.#rates, name, () => new AcceptanceRates());
  }

  /** Counts a round, its drafts included. */
  recordRound(tokens: number, ms: number): void {
    this.#decoded = added(this.#decoded, DECODED_DECAY, { tokens, ms });
  }

  /** Counts a pass that read so many tokens of a prompt. */
  recordPrefill(tokens: number, ms: number): void {
    if (tokens >= LEAST_PREFILL_ROWS) this.#read = added(this.#read, READ_DECAY, { tokens, ms });
  }

  /** Recent prefill speed (tokens/ms); undefined before the first prefill. */
  get prefillSpeed(): number | undefined {
    return this.#read.ms > 0 ? this.#read.tokens / this.#read.ms : undefined;
  }

  snapshot(): ProfileSnapshot {
    return {
      verifyMs: this.verify.snapshot(),
      draftMs: Object.fromEntries([...this.#drafts].map(([name, table]) => [name, table.snapshot()])),
      rates: Object.fromEntries([...this.#rates].map(([name, rates]) => [name, rates.snapshot()])),
      decoded: this.#decoded,
      read: this.#read,
    };
  }

  #draftTable(known?: Pairs): CostTable {
    const { facts, verify } = this;
    // Drafters have dense weights, also those of packed targets.
    const dense = { ...facts, bits: 16, isMixture: false };
    const share = (rows: number): number => passCost(dense, rows) / passCost(facts, rows);
    return new CostTable((rows) => DRAFT_GUESS * share(rows) * verify.at(rows), known);
  }
}

function added(before: Throughput, decay: number, { tokens, ms }: Throughput): Throughput {
  return { tokens: decay * before.tokens + tokens, ms: decay * before.ms + ms };
}

function entry<T>(map: Map<string, T>, name: string, create: () => T): T {
  const value = map.get(name) ?? create();
  map.set(name, value);
  return value;
}
