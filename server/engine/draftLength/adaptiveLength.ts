// The adaptive policy: chooses between a drafter's pass, a look-up in the text and no draft by expected tokens per
// millisecond, and verifies as much of the draft as pays.
import type { Drafter } from '../../models/drafters/drafter';
import { draftWith, NO_DRAFT, truncateDraft, type Draft } from '../decode/draft';
import type { RoundStart } from '../decode/roundStart';
import type { AcceptanceMode } from '../request/sampling';
import type { AcceptanceRates } from './acceptanceRates';
import type { Candidate, DraftChoice, DraftPolicy, RoundOutcome } from './policy';
import type { PairProfile } from './profile';

/**
 * Kind of decode. Acceptance rates differ between the kinds, so each has its own: greedy text, a greedy next edit, and
 * text drawn at random by acceptance mode.
 */
export type Mode = 'greedy' | 'edit' | AcceptanceMode;

/** Rounds before a drafter that is not worth its pass is tried again; doubled after each failed trial. */
const FIRST_RETRY = 16;
const LAST_RETRY = 256;
/**
 * Rounds of one policy, over all requests, that rely on guessed costs before a plain step is measured: a new pair
 * drafts immediately.
 */
const GUESSED_ROUNDS = 4;
/**
 * Factor by which a looked-up draft must beat the expected speed of the drafter's pass. The drafter's rates are too low
 * for a fair comparison: it mostly ran where the look-up found nothing, which is the harder text.
 */
const LOOK_UP_LEAD = 1.2;
/**
 * Drafts to verify where long passes run in tiles, until the cost of a pass of few rows is measured. A tile is a range
 * of row counts that cost the same (costs.ts).
 */
const FEW_DRAFTS = 3;
/**
 * Default maximum of looked-up drafts per round. More of them pay if the output copies its prompt, as a next edit does.
 */
const MAX_LOOKED_UP = 15;
/** Decay per round of the counted tokens and output ends. */
const COUNTED_DECAY = 0.99;

/** A number of drafts, and its expected speed. */
interface Plan {
  readonly length: number;
  readonly tokensPerMs: number;
}

/** A number of drafts to verify, and the expected tokens gained over the same time at the best expected speed. */
interface Cut {
  readonly length: number;
  readonly gain: number;
}

export class AdaptiveLength implements DraftPolicy {
  #rounds = 0;
  /** Decayed token and end counts: drafts past the end of an output are wasted. */
  #tokens = 0;
  #ends = 0;
  /** Rounds since the last use of the drafter whose pass costs time. */
  #idleRounds = 0;
  #retryAfter = FIRST_RETRY;

  constructor(
    private readonly profile: PairProfile,
    private readonly mode: Mode = 'greedy',
    /** Maximum number of looked-up drafts per round. */
    private readonly maxLookedUp = MAX_LOOKED_UP,
  ) {}

  async draft(start: RoundStart, room: number): Promise<DraftChoice> {
    const { uncached, memory } = start;
    const { verify } = this.profile;
    const isPlainDue = this.#rounds >= GUESSED_ROUNDS && !verify.isKnown(1);
    if (isPlainDue) return { draft: NO_DRAFT, candidates: [] };
    const candidates = await lookUps(start, Math.min(room, this.maxLookedUp));
    const plainSpeed = 1 / verify.at(uncached.length);
    const lookUpSpeeds = candidates.map(
      ({ draft }) => this.#fastest(uncached.length, this.#ratesOf(draft)).tokensPerMs,
    );
    const index = memory.drafters.findIndex(({ isFree }) => !isFree);
    const pass = this.#planPass(memory.drafters[index], uncached.length, room);
    const isWorthwhile =
      pass.tokensPerMs > plainSpeed && LOOK_UP_LEAD * pass.tokensPerMs > Math.max(...lookUpSpeeds);
    const isTrialDue = this.#idleRounds >= this.#retryAfter;
    if (pass.length > 0 && (isWorthwhile || isTrialDue)) {
      const requested = isWorthwhile
        ? pass.length
        : this.#trialLength(pass.length, uncached.length + pass.maxDrafts);
      const draft = await draftWith(start, index, requested);
      const readsPrompt = start.context.position <= 1;
      candidates.push({ draft, requested, readsPrompt, isTrial: !isWorthwhile });
    }
    const bestSpeed = Math.max(plainSpeed, pass.tokensPerMs, ...lookUpSpeeds);
    return { draft: this.#choose(candidates, uncached.length, bestSpeed), candidates };
  }

  observe(outcome: RoundOutcome): void {
    const { rows, tokens, isLast, verifyMs, candidates } = outcome;
    this.#rounds += 1;
    this.#tokens = COUNTED_DECAY * this.#tokens + tokens.length;
    this.#ends = COUNTED_DECAY * this.#ends + Number(isLast);
    this.#idleRounds += 1;
    // The very first round also allocates memory and compiles kernels, so its time says nothing about later rounds.
    const isTypical = this.#rounds > 1;
    if (isTypical) this.profile.verify.record(rows, verifyMs);
    for (const candidate of candidates) this.#learn(candidate, outcome);
    if (isTypical) this.profile.recordRound(tokens.length, this.#expectedMs(outcome));
  }

  #learn({ draft, requested, readsPrompt, isTrial }: Candidate, outcome: RoundOutcome): void {
    const { drafter, confidence } = draft;
    if (drafter === undefined) return;
    const { right, judged } = verdictOn(draft, outcome);
    const rates = this.#rates(drafter);
    if (!drafter.isFree) {
      const costs = this.profile.draft(drafter.name);
      if (!readsPrompt) costs.record(rowsOf(drafter, requested), outcome.draftMs);
      rates.age(this.#idleRounds);
      if (!isTrial) this.#retryAfter = FIRST_RETRY;
      else if (right === 0) this.#retryAfter = Math.min(LAST_RETRY, 2 * this.#retryAfter);
      this.#idleRounds = 0;
    }
    rates.record(confidence.slice(0, judged), right);
  }

  /**
   * Returns the expected milliseconds of a round of this size, drafting included: unlike the measured ones, they do not
   * contain interruptions.
   */
  #expectedMs({ rows, candidates }: RoundOutcome): number {
    const { verify } = this.profile;
    const draftMs = candidates.map(({ draft: { drafter }, requested }) =>
      drafter === undefined || drafter.isFree
        ? 0
        : this.profile.draft(drafter.name).at(rowsOf(drafter, requested)),
    );
    return draftMs.reduce((sum, ms) => sum + ms, verify.at(rows));
  }

  /**
   * Plans the drafter's next pass from its acceptance rates. Requests fewer drafts than would pay in an endless output,
   * as most outputs end soon (docs/internals/results.md).
   */
  #planPass(
    drafter: Drafter | undefined,
    uncached: number,
    room: number,
  ): Plan & { readonly maxDrafts: number } {
    // The drafter has to see the uncached tokens first.
    if (drafter === undefined || uncached > 1) return { length: 0, tokensPerMs: 0, maxDrafts: 0 };
    const rates = this.#rates(drafter);
    const maxDrafts = Math.max(0, Math.min(drafter.maxDraftTokens, room));
    const costs = this.profile.draft(drafter.name);
    const draftMs = (drafts: number): number => costs.at(rowsOf(drafter, drafts));
    const accepted = Array.from({ length: maxDrafts }, (_, position) => rates.at(position));
    // Share of tokens that do not end the output.
    const continueShare = 1 - this.#ends / (this.#tokens + 1);
    const useful = accepted.map((rate) => rate * continueShare);
    const { tokensPerMs } = this.#fastest(uncached, accepted, draftMs);
    return { tokensPerMs, maxDrafts, length: this.#fastest(uncached, useful, draftMs).length };
  }

  /**
   * Returns the number of drafts to request on trial: all that fit into `maxRows` if these rows run in a tile of
   * unknown cost, which a shorter draft would not measure; otherwise `planned`.
   */
  #trialLength(planned: number, maxRows: number): number {
    return this.profile.verify.isUnknownTile(maxRows) ? maxRows - 1 : planned;
  }

  /** Finds the fastest number of drafts for these acceptance rates, each given that all drafts before are accepted. */
  #fastest(uncached: number, rates: readonly number[], draftMs: (drafts: number) => number = () => 0): Plan {
    return expectedTokens(rates)
      .map((tokens, i) => ({
        length: i + 1,
        tokensPerMs: tokens / (this.profile.verify.at(uncached + i + 1) + draftMs(i + 1)),
      }))
      .reduce((best, plan) => (plan.tokensPerMs > best.tokensPerMs ? plan : best), {
        length: 0,
        tokensPerMs: 0,
      });
  }

  /**
   * Chooses the draft to verify and its length. A millisecond counts as `tokensPerMs` tokens; the time for drafting is
   * already spent and does not count. If no draft pays, at least the first token of a draft on trial is verified,
   * to measure it.
   */
  #choose(candidates: readonly Candidate[], uncached: number, tokensPerMs: number): Draft {
    let best: { draft?: Draft } & Cut = this.#bestCut(uncached, tokensPerMs, []);
    for (const { draft } of candidates) {
      // The draws decide the later confidences of a sampled draft, so the choice sees only the first one.
      const rates = this.#ratesOf(draft, draft.distributions && 1);
      const cut = this.#bestCut(uncached, tokensPerMs, rates);
      if (cut.gain > best.gain) best = { draft, ...cut };
    }
    const { draft } = best;
    if (draft) {
      const { distributions } = draft;
      const length = distributions ? this.#blindCut(uncached, tokensPerMs, draft) : best.length;
      return truncateDraft(draft, this.#shortenedToMeasure(uncached, length));
    }
    const trial = candidates.find(({ isTrial }) => isTrial)?.draft;
    if (trial === undefined) return NO_DRAFT;
    const measuresTile = this.profile.verify.isUnknownTile(uncached + trial.tokens.length);
    return measuresTile ? trial : truncateDraft(trial, 1);
  }

  /** Shortens a draft that would fill a tile while the cost of a pass of few rows is still a guess. */
  #shortenedToMeasure(uncached: number, length: number): number {
    const { verify } = this.profile;
    const isGuess = verify.continuesTile(uncached + length) && !verify.isKnown(uncached + FEW_DRAFTS);
    return isGuess ? Math.min(length, FEW_DRAFTS) : length;
  }

  /** Finds the number of drafts whose verification gains most; 0 is a plain step. */
  #bestCut(uncached: number, tokensPerMs: number, rates: readonly number[]): Cut {
    const { verify } = this.profile;
    return [1, ...expectedTokens(rates)]
      .map((tokens, length) => ({ length, gain: tokens - tokensPerMs * verify.at(uncached + length) }))
      .reduce((best, cut) => (cut.gain > best.gain ? cut : best));
  }

  /**
   * Returns how many drawn drafts to verify: up to the first that does not pay, judged by what was known before it was
   * drawn. Later confidences can depend on the drawn token; choosing by them would change the distribution ("blind
   * length" in docs/internals/architecture.md).
   */
  #blindCut(uncached: number, tokensPerMs: number, draft: Draft): number {
    const { length } = draft.tokens;
    for (let drafted = 1; drafted <= length; drafted++)
      if (this.#bestCut(uncached, tokensPerMs, this.#ratesOf(draft, drafted)).length < drafted)
        return drafted - 1;
    return length;
  }

  /** Returns the rates of a draft: by confidence for the first `confidenceCount` tokens, by position for the rest. */
  #ratesOf({ drafter, confidence }: Draft, confidenceCount = confidence.length): number[] {
    if (drafter === undefined) return [];
    const rates = this.#rates(drafter);
    return confidence.map((certainty, i) =>
      i < confidenceCount ? rates.atConfidence(certainty) : rates.at(i),
    );
  }

  #rates({ name }: Drafter): AcceptanceRates {
    return this.profile.rates(this.mode === 'greedy' ? name : `${name} ${this.mode}`);
  }
}

/** Returns the drafts of every free drafter. They cost next to nothing, so all are made and compared. */
async function lookUps(start: RoundStart, room: number): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const [i, { isFree, maxDraftTokens }] of start.memory.drafters.entries())
    if (isFree) {
      const draft = await draftWith(start, i, Math.min(maxDraftTokens, room));
      candidates.push({ draft, requested: 0, readsPrompt: false, isTrial: false });
    }
  return candidates;
}

/** Returns the rows of the drafter's pass for this many drafts. */
function rowsOf({ maxDraftTokens, minBlockSize = maxDraftTokens + 1 }: Drafter, drafts: number): number {
  return Math.max(drafts + 1, minBlockSize);
}

/** Returns the mean tokens of a round, the target's own included, for 1, 2, ... drafts. */
function expectedTokens(rates: readonly number[]): number[] {
  let survival = 1;
  let tokens = 1;
  return rates.map((rate) => {
    survival *= rate;
    return (tokens += survival);
  });
}

/**
 * Counts the tokens of a draft that were right, and those that were judged at all. The target's tokens judge every
 * draft of the round, even one that was not verified, as far as they reach. Of a verified draft that was drawn at
 * random, only the verified tokens are judged: the target draws the token after them on its own, so both are equal only
 * by chance.
 */
function verdictOn({ tokens: drafts, distributions }: Draft, { draft, accepted, tokens }: RoundOutcome) {
  if (distributions && distributions === draft.distributions)
    return { right: accepted, judged: draft.tokens.length };
  const wrong = tokens.findIndex((token, i) => token !== drafts[i]);
  return { right: wrong < 0 ? tokens.length : wrong, judged: tokens.length };
}
