// How often drafts of one drafter are accepted, learned from rounds: by position in the draft, and by how sure the
// drafter was. Only what was judged counts: after the first wrong draft nothing is known (speculative-decoding.md G.5).
import { EVIDENCE_LEVELS } from '../models/drafter';

/** Each new observation takes this much of the weight of all older ones. */
const DECAY = 0.99;
/** What is left of the older ones after a round without any. */
const AGEING = 0.998;
/** Observations that the coarser estimate counts for: few of its own do not move a rate far. */
const POSITION_PRIOR_WEIGHT = 6;
const LEVEL_PRIOR_WEIGHT = 4;
/** Before anything was observed. */
const POOLED_PRIOR = 0.65;
const LEVEL_PRIORS = [0.3, 0.45, 0.55, 0.65, 0.75, 0.85, 0.9, 0.95];
/** Positions that share their counts by level: the first draft, then wider and wider stretches. */
const STRETCHES = [1, 3, 7];

/** Trials and successes, both decayed. */
type Counts = readonly [trials: number, successes: number];

export interface RatesSnapshot {
  readonly pooled: Counts;
  readonly byPosition: readonly Counts[];
  readonly byLevel: readonly Counts[];
  readonly byLevelAndStretch: readonly Counts[];
}

const NONE: Counts = [0, 0];

export class AcceptanceRates {
  #pooled: Counts;
  readonly #byPosition: Counts[];
  readonly #byLevel: Counts[];
  readonly #byLevelAndStretch: Counts[];

  constructor(snapshot?: RatesSnapshot) {
    this.#pooled = snapshot?.pooled ?? NONE;
    this.#byPosition = [...(snapshot?.byPosition ?? [])];
    this.#byLevel = [...(snapshot?.byLevel ?? [])];
    this.#byLevelAndStretch = [...(snapshot?.byLevelAndStretch ?? [])];
  }

  /** Probability that the draft at `position`, from 0, is accepted if all before it are; before it is drafted. */
  at(position: number): number {
    const anywhere = rate(this.#pooled, POOLED_PRIOR, POSITION_PRIOR_WEIGHT);
    return rate(this.#byPosition[position], anywhere, POSITION_PRIOR_WEIGHT);
  }

  /** The same for a draft whose drafter was that sure of it. */
  atLevel(position: number, level: number): number {
    const anywhere = rate(this.#byLevel[level], LEVEL_PRIORS[level] ?? POOLED_PRIOR, LEVEL_PRIOR_WEIGHT);
    return rate(this.#byLevelAndStretch[cell(level, position)], anywhere, LEVEL_PRIOR_WEIGHT);
  }

  /** Learns from drafts of these levels, of which the first `accepted` were right and the next one, if any, wrong. */
  record(levels: readonly number[], accepted: number): void {
    for (const [position, level] of levels.slice(0, accepted + 1).entries()) {
      const success = position < accepted ? 1 : 0;
      this.#pooled = observed(this.#pooled, success);
      observe(this.#byPosition, position, success);
      observe(this.#byLevel, level, success);
      observe(this.#byLevelAndStretch, cell(level, position), success);
    }
  }

  /** Lets what was observed count less, after so many rounds in which nothing was. */
  age(rounds: number): void {
    const left = AGEING ** rounds;
    const aged = ([trials, successes]: Counts = NONE): Counts => [trials * left, successes * left];
    this.#pooled = aged(this.#pooled);
    for (const counts of [this.#byPosition, this.#byLevel, this.#byLevelAndStretch])
      for (const i of counts.keys()) counts[i] = aged(counts[i]);
  }

  snapshot(): RatesSnapshot {
    const filled = (counts: readonly Counts[]): Counts[] => Array.from(counts, (each) => each ?? NONE);
    return {
      pooled: this.#pooled,
      byPosition: filled(this.#byPosition),
      byLevel: filled(this.#byLevel),
      byLevelAndStretch: filled(this.#byLevelAndStretch),
    };
  }
}

function rate([trials, successes]: Counts = NONE, prior: number, weight: number): number {
  return (successes + weight * prior) / (trials + weight);
}

function observe(counts: Counts[], index: number, success: number): void {
  counts[index] = observed(counts[index] ?? NONE, success);
}

function observed([trials, successes]: Counts, success: number): Counts {
  return [trials * DECAY + 1, successes * DECAY + success];
}

function cell(level: number, position: number): number {
  const stretch = STRETCHES.findIndex((end) => position < end);
  return level + EVIDENCE_LEVELS * (stretch < 0 ? STRETCHES.length : stretch);
}
