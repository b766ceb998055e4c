// The length of a draft, and which drafter makes it: a fixed number of tokens, or whatever yields the most tokens per
// millisecond, down to none, which is plain decoding. Only the speed depends on it, not the text.
import type { Drafter } from '../../models/drafters/drafter';
import { draftWith, NO_DRAFT, shortened, type Draft, type RoundStart } from '../decode/draft';
import { PairProfile, type ProfileSnapshot } from '../pairProfile';
import type { AcceptanceMode, Sampling } from '../request/sampling';
import { ngramDrafter } from '../../models/drafters/ngramDrafter';
import type { DraftLength } from '../decode/decode';
import type { SpeculationOff } from '../request/stats';

/** A draft that was made for a round, verified or not. */
interface Candidate {
  readonly draft: Draft;
  /** How many were requested of a drafter whose pass costs time, however many are of use. */
  readonly requested: number;
  /** Whether that pass also saw the prompt, which no later one does. */
  readonly isFirst: boolean;
  /** Whether the drafter was used although it does not seem worth it. */
  readonly isTrial: boolean;
}

/** All that belongs to one round, so that decodes which take turns share no more than what was learned. */
export interface Proposal {
  /** What to verify. */
  readonly draft: Draft;
  readonly candidates: readonly Candidate[];
}

/** The outcome of a round, for policies that learn from it. */
export interface RoundOutcome {
  readonly candidates: readonly Candidate[];
  /** Rows of the target's pass. */
  readonly rows: number;
  /** What was verified, and how many of it stayed. */
  readonly draft: Draft;
  readonly accepted: number;
  /** What comes after the anchor: the accepted drafts and the target's own next token. */
  readonly tokens: readonly number[];
  /** Whether the output ends with them. */
  readonly isLast: boolean;
  readonly draftMs: number;
  /** Verifying and committing. */
  readonly verifyMs: number;
}

export interface DraftPolicy {
  /** Drafts at most `room` tokens after the anchor. */
  draft(start: RoundStart, room: number): Promise<Proposal>;
  observe(outcome: RoundOutcome): void;
}

/** Always as many drafts of the first drafter as there is room for, up to `length`; none when there is no drafter. */
export function fixedLength(length: number): DraftPolicy {
  return {
    draft: async (start, room) => {
      const most = start.memory.drafters[0]?.maxDraftTokens ?? 0;
      return { draft: await draftWith(start, 0, Math.min(length, room, most)), candidates: [] };
    },
    observe: () => undefined,
  };
}

/** How tokens are chosen: acceptance differs between these modes, so what is learned of each is kept separately. */
export type Mode = 'greedy' | AcceptanceMode;

/** A drafter that is not worth its pass is tried again after this many rounds, then after twice as many, and so on. */
const FIRST_RETRY = 16;
const LAST_RETRY = 256;
/** Rounds that rely on guesses before plain decoding is measured: a short request is over by then. */
const GUESSED_ROUNDS = 4;
/**
 * A looked-up draft has to be worth this much more than what the drafter is expected to yield: the drafter was used
 * where the look-up found nothing, so mostly in the harder places.
 */
const LEAD = 1.2;
/** Decay per round of the counted tokens and ends of outputs. */
const COUNTED = 0.99;

/** This many drafts yield tokens at this speed. */
interface Plan {
  readonly length: number;
  readonly tokensPerMs: number;
}

export class AdaptiveLength implements DraftPolicy {
  #rounds = 0;
  /** Of late, decayed: no draft is of use behind the end of an output. */
  #tokens = 0;
  #ends = 0;
  /** Rounds since the drafter that costs time was last used. */
  #unused = 0;
  #retryAfter = FIRST_RETRY;

  constructor(
    private readonly profile: PairProfile,
    private readonly mode: Mode = 'greedy',
  ) {}

  async draft(start: RoundStart, room: number): Promise<Proposal> {
    const { uncached, memory } = start;
    const { verify } = this.profile;
    if (this.#rounds >= GUESSED_ROUNDS && !verify.isKnown(1)) return { draft: NO_DRAFT, candidates: [] };
    const candidates: Candidate[] = [];
    // What is looked up costs nothing, so it is there to be compared with.
    for (const [i, drafter] of memory.drafters.entries())
      if (drafter.isFree) {
        const draft = await draftWith(start, i, Math.min(drafter.maxDraftTokens, room));
        candidates.push({ draft, requested: 0, isFirst: false, isTrial: false });
      }
    const plain = 1 / verify.at(uncached.length);
    const found = candidates.map(
      ({ draft }) => this.#plan(uncached.length, this.#ratesOf(draft)).tokensPerMs,
    );
    const index = memory.drafters.findIndex(({ isFree }) => !isFree);
    const { length, tokensPerMs } = this.#expected(memory.drafters[index], uncached.length, room);
    const pays = tokensPerMs > plain && LEAD * tokensPerMs > Math.max(...found);
    if (length > 0 && (pays || this.#unused >= this.#retryAfter)) {
      const draft = await draftWith(start, index, length);
      candidates.push({ draft, requested: length, isFirst: start.at.position <= 1, isTrial: !pays });
    }
    const draft = this.#best(candidates, uncached.length, Math.max(plain, tokensPerMs, ...found));
    return { draft, candidates };
  }

  observe(outcome: RoundOutcome): void {
    this.#rounds += 1;
    this.#tokens = COUNTED * this.#tokens + outcome.tokens.length;
    this.#ends = COUNTED * this.#ends + Number(outcome.isLast);
    this.#unused += 1;
    // The very first round waits for memory and code that no other waits for.
    if (this.#rounds > 1) this.profile.verify.record(outcome.rows, outcome.verifyMs);
    for (const candidate of outcome.candidates) this.#learn(candidate, outcome);
    if (this.#rounds > 1) this.profile.recordRound(outcome.tokens.length, this.#usualMs(outcome));
  }

  /** What such a round costs where nothing comes in between, as it is known of a plain step, too. */
  #usualMs({ rows, candidates }: RoundOutcome): number {
    const { verify } = this.profile;
    const drafting = candidates.map(({ draft: { drafter }, requested }) =>
      drafter === undefined || drafter.isFree
        ? 0
        : this.profile.draft(drafter.name).at(rowsOf(drafter, requested)),
    );
    return drafting.reduce((sum, ms) => sum + ms, verify.at(rows));
  }

  #learn({ draft, requested, isFirst, isTrial }: Candidate, outcome: RoundOutcome): void {
    const { drafter, confidence } = draft;
    if (drafter === undefined) return;
    const { right, judged } = verdictOn(draft, outcome);
    const rates = this.#rates(drafter);
    if (!drafter.isFree) {
      const costs = this.profile.draft(drafter.name);
      if (!isFirst) costs.record(rowsOf(drafter, requested), outcome.draftMs);
      rates.age(this.#unused);
      if (!isTrial) this.#retryAfter = FIRST_RETRY;
      else if (right === 0) this.#retryAfter = Math.min(LAST_RETRY, 2 * this.#retryAfter);
      this.#unused = 0;
    }
    rates.record(confidence.slice(0, judged), right);
  }

  /**
   * How much of everything that was drafted is verified, where a millisecond is worth `tokensPerMs`: the cost of making
   * the drafts is already spent. A draft on trial is verified too, because its cost has to be known as well.
   */
  #best(candidates: readonly Candidate[], uncached: number, tokensPerMs: number): Draft {
    let best: { draft?: Draft; length: number; value: number } = this.#worth(uncached, tokensPerMs, []);
    for (const { draft } of candidates) {
      const rates = this.#ratesOf(draft, draft.distributions && 1);
      const worth = this.#worth(uncached, tokensPerMs, rates);
      if (worth.value > best.value) best = { draft, ...worth };
    }
    const { draft, length } = best;
    if (draft)
      return shortened(draft, draft.distributions ? this.#walk(uncached, tokensPerMs, draft) : length);
    const tried = candidates.find(({ isTrial }) => isTrial);
    return tried ? shortened(tried.draft, 1) : NO_DRAFT;
  }

  /** How many drafts pay best, where a millisecond is worth `tokensPerMs`. */
  #worth(uncached: number, tokensPerMs: number, rates: readonly number[]) {
    const { verify } = this.profile;
    return [1, ...expectedTokens(rates)]
      .map((tokens, length) => ({ length, value: tokens - tokensPerMs * verify.at(uncached + length) }))
      .reduce((best, each) => (each.value > best.value ? each : best));
  }

  /**
   * How many drawn drafts are verified: up to the first one that does not pay by what was known before it was drawn. To
   * choose by the confidence of later ones, which may depend on it, would change the chances ("blind length").
   */
  #walk(uncached: number, tokensPerMs: number, draft: Draft): number {
    const { length } = draft.tokens;
    for (let known = 1; known <= length; known++)
      if (this.#worth(uncached, tokensPerMs, this.#ratesOf(draft, known)).length < known) return known - 1;
    return length;
  }

  /**
   * The best number of drafts for a drafter that costs time, by what its drafts usually yield. Fewer are requested than
   * would pay in an endless output, as most outputs end soon (docs/internals/results.md).
   */
  #expected(drafter: Drafter | undefined, uncached: number, room: number): Plan {
    // It has to see the uncached tokens first.
    if (drafter === undefined || uncached > 1) return { length: 0, tokensPerMs: 0 };
    const rates = this.#rates(drafter);
    const length = Math.max(0, Math.min(drafter.maxDraftTokens, room));
    const costs = this.profile.draft(drafter.name);
    const draftMs = (drafts: number): number => costs.at(rowsOf(drafter, drafts));
    const accepted = Array.from({ length }, (_, position) => rates.at(position));
    const goesOn = 1 - this.#ends / (this.#tokens + 1);
    const useful = accepted.map((rate) => rate * goesOn);
    return {
      ...this.#plan(uncached, accepted, draftMs),
      length: this.#plan(uncached, useful, draftMs).length,
    };
  }

  /** The best number of drafts with these probabilities of acceptance, each given that all before it are accepted. */
  #plan(uncached: number, rates: readonly number[], draftMs: (drafts: number) => number = () => 0): Plan {
    return expectedTokens(rates)
      .map((tokens, i) => ({
        length: i + 1,
        tokensPerMs: tokens / (this.profile.verify.at(uncached + i + 1) + draftMs(i + 1)),
      }))
      .reduce((best, each) => (each.tokensPerMs > best.tokensPerMs ? each : best), {
        length: 0,
        tokensPerMs: 0,
      });
  }

  /** By the confidence of the first `known`, and by their places from there on. */
  #ratesOf({ drafter, confidence }: Draft, known = confidence.length): number[] {
    if (drafter === undefined) return [];
    const rates = this.#rates(drafter);
    return confidence.map((each, i) => (i < known ? rates.atConfidence(each) : rates.at(i)));
  }

  #rates({ name }: Drafter) {
    return this.profile.rates(this.mode === 'greedy' ? name : `${name} ${this.mode}`);
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

/**
 * How many drafts are known to be right, and how many are known to be right or wrong. The target's tokens judge all
 * drafts as far as they reach, also those that were not verified; randomly drawn drafts have only their own verdict.
 */
function verdictOn({ tokens: drafts, distributions }: Draft, { draft, accepted, tokens }: RoundOutcome) {
  if (distributions && distributions === draft.distributions)
    return { right: accepted, judged: draft.tokens.length };
  const wrong = tokens.findIndex((token, i) => token !== drafts[i]);
  return { right: wrong < 0 ? tokens.length : wrong, judged: tokens.length };
}

// Which drafters an engine uses, and how many drafts are verified: a fixed number, adaptively or none.

export interface Speculating {
  readonly drafters: readonly Drafter[];
  readonly policy: DraftPolicy;
  /** Why there are no drafts. */
  readonly speculationOff: SpeculationOff | undefined;
}

export class Speculation {
  readonly profile: PairProfile;
  /** One policy per mode, as what is learned of each is kept separately. */
  readonly #adaptive: Readonly<Record<Mode, AdaptiveLength>>;
  /** All drafters of a decode with drafts, in this order. */
  readonly drafters: readonly Drafter[];

  constructor(
    private readonly drafter: Drafter | undefined,
    snapshot?: ProfileSnapshot,
    /** Why there is no drafter when there is none. */
    private readonly missing: SpeculationOff = 'no_drafter',
    rowCost?: number,
  ) {
    const ngram = ngramDrafter();
    // The same for any draft length, so that one request can continue from what another has read.
    this.drafters = drafter ? [drafter, ngram] : [ngram];
    this.profile = new PairProfile(snapshot, rowCost);
    this.#adaptive = {
      greedy: new AdaptiveLength(this.profile),
      match: new AdaptiveLength(this.profile, 'match'),
      rejection: new AdaptiveLength(this.profile, 'rejection'),
    };
  }

  /** `positions` is how long the text may become. */
  of(draftLength: DraftLength, sampling: Sampling, positions: number): Speculating {
    const off = this.#reason(draftLength, sampling, positions);
    // Plain decoding is the same loop with empty drafts.
    if (off) return { drafters: [], policy: fixedLength(0), speculationOff: off };
    const policy =
      draftLength === 'adaptive'
        ? this.#adaptive[modeOf(sampling)]
        : fixedLength(draftLength === 'full' ? Infinity : draftLength);
    return { drafters: this.drafters, policy, speculationOff: undefined };
  }

  #reason(draftLength: DraftLength, sampling: Sampling, positions: number): SpeculationOff | undefined {
    if (draftLength === 0) return 'draft_length_zero';
    if (sampling.logprobs !== undefined) return 'logprobs_requested';
    if (draftLength !== 'adaptive' && this.drafter === undefined) return this.missing;
    return positions > (this.drafter?.maxPositions ?? Infinity) ? 'context_limit' : undefined;
  }
}

function modeOf({ temperature, acceptance }: Sampling): Mode {
  return temperature === 0 ? 'greedy' : acceptance;
}
