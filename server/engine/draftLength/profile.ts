// Measurements of a pair on this machine: cost of passes by rows, acceptance of drafts, decode and prefill speed. A
// profile outlives requests and, as a snapshot, the process. It does not know where snapshots are stored.
import { ON_CPU, passCost, type RowFacts, UNPACKED_BITS } from '../../rules/rowCost';
import { AcceptanceRates, type RatesSnapshot } from './acceptanceRates';
import { CostTable, type NumberPairs } from './costs';

export interface ProfileSnapshot {
  /** Rows and milliseconds of the target's passes. */
  readonly verifyMs: NumberPairs;
  /** Rows and milliseconds of the drafters' passes, by drafter name. */
  readonly draftMs: Readonly<Record<string, NumberPairs>>;
  /** Trials and successes of each drafter in each mode, by position and by confidence. */
  readonly rates: Readonly<Record<string, RatesSnapshot>>;
  /** Tokens decoded in rounds; 0 before the first. */
  readonly decoded: Throughput;
  /** Prompt tokens read in long passes; 0 before the first. */
  readonly read: Throughput;
}

/** Decayed tokens and time of rounds with adaptive drafts (expected time) or of prefill passes (measured time). */
export interface Throughput {
  readonly tokens: number;
  readonly ms: number;
}

/** Guessed milliseconds of a plain step, used until it is measured. */
const STEP_GUESS = 20;
/** Guessed cost of a drafter's pass, as a share of verifying as many rows with dense weights. */
const DRAFT_GUESS = 0.4;
/** Decay of the decode speed per round, so that it averages about the last 2,000 rounds. */
const DECODED_DECAY = 0.9995;
/** Decay of the prefill speed per pass. It covers only a few prompts, so that a busy or throttled machine shows. */
const READ_DECAY = 0.9;
/** Prefill passes with fewer rows than this are not recorded: they do not predict the speed of longer ones. */
const MIN_PREFILL_ROWS = 64;
const NOTHING: Throughput = { tokens: 0, ms: 0 };

export class PairProfile {
  readonly verify: CostTable;
  readonly #drafts: Map<string, CostTable>;
  readonly #rates: Map<string, AcceptanceRates>;
  #decoded: Throughput;
  #read: Throughput;

  constructor(
    snapshot: Partial<ProfileSnapshot> = {},
    /** Facts about the target from which the cost of rows is guessed until it is measured. */
    private readonly facts: RowFacts = ON_CPU,
  ) {
    const { verifyMs, draftMs = {}, rates = {}, decoded = NOTHING, read = NOTHING } = snapshot;
    this.verify = new CostTable((rows) => STEP_GUESS * passCost(facts, rows), verifyMs);
    this.#drafts = new Map(Object.entries(draftMs).map(([name, pairs]) => [name, this.#draftTable(pairs)]));
    this.#rates = new Map(
      Object.entries(rates).map(([name, snapshot]) => [name, new AcceptanceRates(snapshot)]),
    );
    this.#decoded = decoded;
    this.#read = read;
  }

  /** Returns the costs of the passes of `drafter`. */
  draft(drafter: string): CostTable {
    return entry(this.#drafts, drafter, () => this.#draftTable());
  }

  /** Returns the acceptance rates stored as `name`: the drafter's name, followed by the mode unless that is greedy. */
  rates(name: string): AcceptanceRates {
    return entry(this.#rates, name, () => new AcceptanceRates());
  }

  /** Adds a round. `ms` is the expected time of such a round, drafting included, so that interruptions do not count. */
  recordRound(tokens: number, ms: number): void {
    this.#decoded = added(this.#decoded, DECODED_DECAY, { tokens, ms });
  }

  /** Adds a prefill pass over this many tokens, unless it is too short. */
  recordPrefill(tokens: number, ms: number): void {
    if (tokens >= MIN_PREFILL_ROWS) this.#read = added(this.#read, READ_DECAY, { tokens, ms });
  }

  /** Recent prefill speed (tokens/ms); undefined before the first pass of at least MIN_PREFILL_ROWS rows. */
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

  #draftTable(pairs?: NumberPairs): CostTable {
    const { facts, verify } = this;
    // The guess is for dense weights, even if the target or the drafter is packed; measurements replace it.
    const dense = { ...facts, bits: UNPACKED_BITS, isMixture: false };
    const share = (rows: number): number => passCost(dense, rows) / passCost(facts, rows);
    return new CostTable((rows) => DRAFT_GUESS * share(rows) * verify.at(rows), pairs);
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
