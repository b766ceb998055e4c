// Acceptance rates of one drafter's drafts, by position in the draft and by the drafter's confidence.
import type { NumberPairs } from './costs';

export interface RatesSnapshot {
  readonly byPosition: NumberPairs;
  readonly byConfidence: NumberPairs;
}

/** Decay of older observations per new observation of the same position or confidence. */
const DECAY = 0.99;
/** Decay of all observations per round since the last new one. */
const AGEING = 0.998;
/** Weight of the prior, in observations: a few observations alone do not move a rate far. */
const POSITION_PRIOR_WEIGHT = 6;
const CONFIDENCE_PRIOR_WEIGHT = 4;
/** Prior rate of a draft of unknown confidence. */
const POOLED_PRIOR = 0.65;
/** Upper bounds of the confidence bins; a last bin has everything above them. */
const CONFIDENCE_BINS = [0.2, 0.4, 0.6, 0.75, 0.87, 0.95, 0.99];
/** Prior rate of each bin. */
const CONFIDENCE_PRIORS = [0.3, 0.4, 0.55, 0.7, 0.8, 0.9, 0.95, 0.98];

/** Trials and successes, both decayed. */
type Counts = readonly [trials: number, successes: number];

const NONE: Counts = [0, 0];

/**
 * Rates at which a draft is accepted, given that all drafts before it were. Only judged drafts count: the first wrong
 * draft hides whether those after it were right.
 */
export class AcceptanceRates {
  readonly #byPosition: Counts[];
  readonly #byConfidence: Counts[];

  constructor({ byPosition, byConfidence }: RatesSnapshot = { byPosition: [], byConfidence: [] }) {
    this.#byPosition = [...byPosition];
    this.#byConfidence = [...byConfidence];
  }

  /** Returns the rate of the draft at `position`, from 0, whose confidence is not known yet. */
  at(position: number): number {
    const all = this.#byPosition.reduce<Counts>(([t, s], counts) => [t + counts[0], s + counts[1]], NONE);
    const anywhere = rate(all, POOLED_PRIOR, POSITION_PRIOR_WEIGHT);
    return rate(this.#byPosition[position], anywhere, POSITION_PRIOR_WEIGHT);
  }

  /** Returns the rate of a draft with this confidence, 0 to 1. */
  atConfidence(confidence: number): number {
    const bin = binOf(confidence);
    const prior = CONFIDENCE_PRIORS[bin] ?? POOLED_PRIOR;
    return rate(this.#byConfidence[bin], prior, CONFIDENCE_PRIOR_WEIGHT);
  }

  /** Records drafts of which the first `accepted` were right and the next, if there is one, was wrong. */
  record(confidence: readonly number[], accepted: number): void {
    for (const [position, certainty] of confidence.slice(0, accepted + 1).entries()) {
      observe(this.#byPosition, position, position < accepted);
      observe(this.#byConfidence, binOf(certainty), position < accepted);
    }
  }

  /** Reduces the weight of all observations; `rounds` counts from the last new one. */
  age(rounds: number): void {
    const left = AGEING ** rounds;
    for (const counts of [this.#byPosition, this.#byConfidence])
      for (const [i, [trials, successes]] of counts.entries()) counts[i] = [trials * left, successes * left];
  }

  snapshot(): RatesSnapshot {
    return { byPosition: [...this.#byPosition], byConfidence: [...this.#byConfidence] };
  }
}

function binOf(confidence: number): number {
  return CONFIDENCE_BINS.filter((upperBound) => confidence > upperBound).length;
}

function rate([trials, successes]: Counts = NONE, prior: number, weight: number): number {
  return (successes + weight * prior) / (trials + weight);
}

function observe(counts: Counts[], index: number, success: boolean): void {
  while (counts.length < index) counts.push(NONE);
  const [trials, successes] = counts[index] ?? NONE;
  counts[index] = [trials * DECAY + 1, successes * DECAY + (success ? 1 : 0)];
}
