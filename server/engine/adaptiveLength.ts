// Chooses for each round who drafts and how many drafts are verified, so that most tokens come out per millisecond:
// down to none, which is plain decoding. After speculative-decoding.md G.4 to G.6, with several drafters.
import type { Drafter } from '../models/drafter';
import type { AcceptanceRates } from './acceptanceRates';
import { draftWith, NO_DRAFT, shortened, type Draft } from './draft';
import type { DraftPolicy, RoundOutcome } from './draftPolicy';
import type { PairProfile } from './pairProfile';
import type { RoundStart } from './roundStart';
import type { Drafted } from './sampling/sampler';
import type { AcceptanceMode } from './sampling/sampling';

/** A drafter that is not worth its pass is tried again after so many rounds, then after twice as many ... */
const FIRST_PROBE = 16;
const LAST_PROBE = 256;

/** Drafts that are asked for beyond those that are worth it on average: this draft may be a sure one. */
const SPARE = 2;

/** So many drafts are worth this many tokens, less what their time could have given elsewhere. */
interface Plan {
  readonly length: number;
  readonly value: number;
}

/** What a drafter is to be expected to come to, before it is asked. */
interface Expectation {
  /** Among the drafters of the memory. */
  readonly index: number;
  /** Chances of as many drafts as it may make, each if all before it are accepted. */
  readonly rates: readonly number[];
  /** Of so many drafts. */
  readonly draftMs: DraftMs;
}

type DraftMs = (length: number) => number;

const FREE: DraftMs = () => 0;

interface Choice {
  readonly draft: Draft;
  readonly value: number;
}

/** How tokens are chosen: drafts are accepted more or less often in each, so what is learned is kept apart. */
export type Manner = 'greedy' | AcceptanceMode;

export class AdaptiveLength implements DraftPolicy {
  /** All that was drafted for the round at hand, verified or not. */
  #offers: readonly Draft[] = [];
  /** Drafts that the drafter that is not free was asked for: they cost a pass, however many are of use. */
  #asked = 0;
  /** Rounds since a drafter that is not free was asked. */
  #unasked = 0;
  #probeAfter = FIRST_PROBE;
  /** Whether one was asked for the round at hand although it seems not to be worth it. */
  #probes = false;

  constructor(
    private readonly profile: PairProfile,
    private readonly manner: Manner = 'greedy',
  ) {}

  async draft(start: RoundStart, room: number): Promise<Draft> {
    const { drafters } = start.memory;
    const { costs } = this.profile;
    this.#offers = [];
    this.#probes = false;
    if (costs.wantPlain) return NO_DRAFT;
    for (const [i, drafter] of drafters.entries())
      if (drafter.isFree) this.#offers = [...this.#offers, await draftWith(start, i, most(drafter, room))];
    const dear = start.unread.length > 1 ? [] : this.#expectations(drafters, room);
    const speed = this.#bestPace(dear);
    let best: Choice = { draft: NO_DRAFT, value: 1 - speed * costs.verify(1) };
    for (const offer of this.#offers) best = this.#better(best, offer, speed);
    for (const { index, rates, draftMs } of dear) {
      const { length, value } = this.#plan(rates, speed, draftMs);
      const pays = value > best.value;
      if (!pays && this.#unasked < this.#probeAfter) continue;
      this.#probes = !pays;
      this.#asked = Math.min(rates.length, length + SPARE);
      const offer = await draftWith(start, index, this.#asked);
      this.#offers = [...this.#offers, offer];
      best = this.#better(best, offer, speed);
      // What it costs to verify anything is to be known too.
      if (this.#probes && best.draft === NO_DRAFT) return shortened(offer, 1);
    }
    return best.draft;
  }

  observe(outcome: RoundOutcome): void {
    this.profile.costs.recordVerify(outcome.rows, outcome.verifyMs);
    this.#unasked += 1;
    for (const offer of this.#offers) this.#judge(offer, outcome);
  }

  #judge({ drafter, evidence, ...drafted }: Draft, outcome: RoundOutcome): void {
    if (drafter === undefined) return;
    const { right, judged } = judgement(drafted, outcome);
    const rates = this.#rates(drafter);
    if (!drafter.isFree) {
      this.profile.costs.recordDraft(drafter.name, rowsOf(drafter, this.#asked), outcome.draftMs);
      rates.age(this.#unasked);
      if (!this.#probes) this.#probeAfter = FIRST_PROBE;
      else if (right === 0) this.#probeAfter = Math.min(LAST_PROBE, 2 * this.#probeAfter);
      this.#unasked = 0;
    }
    rates.record(evidence.slice(0, judged), right);
  }

  #better(best: Choice, offer: Draft, speed: number): Choice {
    if (offer.drafter === undefined) return best;
    const { length, value } = this.#plan(levelRates(offer, this.#rates(offer.drafter)), speed);
    return value > best.value ? { draft: shortened(offer, length), value } : best;
  }

  /**
   * Tokens per millisecond of the best that this round can come to, by what is known before anything dear is asked: what
   * a millisecond is worth. A faster passage, as where the text repeats itself, comes whatever this round does.
   */
  #bestPace(dear: readonly Expectation[]): number {
    const offered = this.#offers.map((offer) =>
      offer.drafter ? this.#pace(levelRates(offer, this.#rates(offer.drafter)), FREE) : 0,
    );
    const expected = dear.map(({ rates, draftMs }) => this.#pace(rates, draftMs));
    return Math.max(1 / this.profile.costs.verify(1), ...offered, ...expected);
  }

  /** The same of drafts with these rates that take so long to make, at their best number. */
  #pace(rates: readonly number[], draftMs: DraftMs): number {
    const { costs } = this.profile;
    const milliseconds = (length: number): number => costs.verify(length + 1) + draftMs(length);
    return Math.max(0, ...expectedTokens(rates).map((tokens, i) => tokens / milliseconds(i + 1)));
  }

  /** The best number of drafts, where `rates` are the chances of each if all before it are accepted. */
  #plan(rates: readonly number[], speed: number, draftMs = FREE): Plan {
    const { costs } = this.profile;
    let best: Plan = { length: 0, value: 1 - speed * costs.verify(1) };
    for (const [i, tokens] of expectedTokens(rates).entries()) {
      const value = tokens - speed * (costs.verify(i + 2) + draftMs(i + 1));
      if (value > best.value) best = { length: i + 1, value };
    }
    return best;
  }

  /** Of those that are not free and may draft. */
  #expectations(drafters: readonly Drafter[], room: number): Expectation[] {
    return drafters.flatMap((drafter, index) => {
      const length = most(drafter, room);
      if (drafter.isFree || length === 0) return [];
      const rates = Array.from({ length }, (_, position) => this.#rates(drafter).at(position));
      const draftMs: DraftMs = (drafts) => this.profile.costs.draft(drafter.name, rowsOf(drafter, drafts));
      return [{ index, rates, draftMs }];
    });
  }

  #rates(drafter: Drafter): AcceptanceRates {
    return this.profile.ratesOf(this.manner === 'greedy' ? drafter.name : `${drafter.name} ${this.manner}`);
  }
}

/** Tokens of a round on average, the target's own included, by the number of drafts from 1. */
function expectedTokens(rates: readonly number[]): number[] {
  let survival = 1;
  let tokens = 1;
  return rates.map((rate) => {
    survival *= rate;
    return (tokens += survival);
  });
}

/** Of the pass that makes so many drafts. */
function rowsOf({ maxDraftTokens, minBlockSize = maxDraftTokens + 1 }: Drafter, drafts: number): number {
  return Math.max(drafts + 1, minBlockSize);
}

function most(drafter: Drafter, room: number): number {
  return Math.max(0, Math.min(drafter.maxDraftTokens, room));
}

function levelRates({ evidence }: Draft, rates: AcceptanceRates): number[] {
  return evidence.map((level, position) => rates.atLevel(position, level));
}

/**
 * How many drafts are known to be right, and how many are known to be either. The target's tokens judge all drafts as
 * far as they reach, also those that were not verified; only what was drawn by chance is judged by its own verdict.
 */
function judgement({ tokens: drafts, distributions }: Drafted, { draft, accepted, tokens }: RoundOutcome) {
  if (distributions && distributions === draft.distributions)
    return { right: accepted, judged: draft.tokens.length };
  const wrong = tokens.findIndex((token, i) => token !== drafts[i]);
  return { right: wrong < 0 ? tokens.length : wrong, judged: tokens.length };
}
