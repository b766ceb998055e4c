// Statistics of one request: counters only, from which rates are derived on demand.

/** Reason why a request was decoded without drafts. */
export type SpeculationOff =
  | 'no_drafter'
  /** The drafter does not fit the target. */
  | 'drafter_mismatch'
  /** Speculation was switched off. */
  | 'draft_length_zero'
  /** The request asks for log-probabilities of each position, so each position is decoded alone. */
  | 'logprobs_requested'
  /** The text could grow beyond the positions that the drafter was made for. */
  | 'context_limit';

export type FinishReason =
  /** An end token or a stop string. */
  | 'stop'
  /** The token limit, or the end of the model's context. */
  | 'length'
  /** The output repeated itself. */
  | 'repetition'
  /** The request's signal was aborted. */
  | 'cancelled'
  /** A newer request replaced it, or the models were freed. */
  | 'superseded'
  /** The consumer stopped reading. */
  | 'abandoned';

/** One cycle of draft, verify, accept and commit. */
export interface Round {
  /** Name of the drafter; undefined for a plain step. */
  readonly source: string | undefined;
  readonly drafted: number;
  readonly accepted: number;
  /** Emitted tokens, the correction or bonus included. */
  readonly tokens: readonly number[];
  readonly draftMs: number;
  readonly verifyMs: number;
  /** Part of both times spent building graphs in JavaScript. */
  readonly buildMs: number;
}

/** Drafts of one drafter that were verified and accepted. */
export interface SourceStats {
  /** Name of the drafter. */
  readonly name: string;
  /** Rounds that verified its drafts. */
  readonly rounds: number;
  readonly drafted: number;
  readonly accepted: number;
}

/** A remote server reports less than our own engine: there, null means unknown. */
export interface RequestStats<Unknown extends null = never> {
  readonly promptTokens: number | Unknown;
  /** Prompt tokens taken from the prompt cache. */
  readonly reusedTokens: number | Unknown;
  /** Emitted tokens, the end token included. */
  readonly emittedTokens: number | Unknown;
  readonly rounds: number | Unknown;
  /** Tokens from rounds: all but the first, if that came from prefill. */
  readonly roundTokens: number | Unknown;
  readonly draftedTokens: number | Unknown;
  readonly acceptedTokens: number | Unknown;
  /** Entry i counts the rounds in which draft i was accepted; `draftedByPosition` those in which it was verified. */
  readonly acceptedByPosition: readonly number[];
  readonly draftedByPosition: readonly number[];
  /** Number of rounds whose drafts were all accepted, without plain steps. */
  readonly wholeRounds: number | Unknown;
  /** Entry i counts the rounds whose first rejected draft was draft i. A round that ends the output can have none. */
  readonly mismatchesByPosition: readonly number[];
  /** Rounds and drafts of each drafter that drafted. */
  readonly sources: readonly SourceStats[];
  /** Time from the request to its first token, queueing included. */
  readonly timeToFirstTokenMs: number | Unknown;
  /** Time spent waiting for the steps of other requests. */
  readonly queuedMs: number | Unknown;
  readonly prefillMs: number | Unknown;
  readonly draftMs: number | Unknown;
  readonly verifyMs: number | Unknown;
  /** Part of draftMs and verifyMs spent building graphs in JavaScript; freeing intermediate arrays is not included. */
  readonly buildMs: number | Unknown;
  /** Time in rounds, without pauses of the consumer and other work between two rounds. */
  readonly decodeMs: number | Unknown;
  /** Peak memory of the whole process so far, not of this request alone. */
  readonly peakMemoryBytes: number | Unknown;
  readonly finishReason: FinishReason;
  readonly speculationOff: SpeculationOff | undefined;
  /**
   * Seed of the draws; undefined when nothing was drawn at random. A request with it returns the same text, unless this
   * one had `acceptance: 'rejection'` and no seed.
   */
  readonly seed?: number | undefined;
}

export interface Rates<Unknown extends null = never> {
  /** Average per round, the correction or bonus included. */
  readonly tokensPerRound: number | Unknown;
  readonly acceptanceRate: number | Unknown;
  readonly decodeTokensPerSecond: number | Unknown;
  /** Emitted tokens by the time of prefill and rounds; time in the queue does not count. */
  readonly endToEndTokensPerSecond: number | Unknown;
}

/**
 * Returns the statistics as JSON, for the command line and HTTP alike: counters and the rates derived from them. Absent
 * and unknown values are null, so that the keys never vary.
 */
export function statsObject(stats: RequestStats<null>): Record<string, unknown> {
  return {
    ...stats,
    speculationOff: stats.speculationOff ?? null,
    seed: stats.seed ?? null,
    ...rates(stats),
  };
}

/** Derives all rates: 0 where there is nothing to divide by, null where a counter is unknown. */
export function rates(stats: RequestStats): Rates;
export function rates(stats: RequestStats<null>): Rates<null>;
export function rates(stats: RequestStats<null>): Rates<null> {
  const { emittedTokens, rounds, roundTokens, draftedTokens, acceptedTokens, prefillMs, decodeMs } = stats;
  return {
    tokensPerRound: ratio(roundTokens, rounds),
    acceptanceRate: ratio(acceptedTokens, draftedTokens),
    decodeTokensPerSecond: ratio(roundTokens, decodeMs, 1000),
    endToEndTokensPerSecond: ratio(
      emittedTokens,
      prefillMs === null || decodeMs === null ? null : prefillMs + decodeMs,
      1000,
    ),
  };
}

function ratio(part: number | null, total: number | null, factor = 1): number | null {
  if (part === null || total === null) return null;
  return total > 0 ? (factor * part) / total : 0;
}
