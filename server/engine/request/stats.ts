// What one request cost and yielded. Counters only; every rate is derived from them on demand.

/** Why a request was decoded without drafts. */
export type SpeculationOff =
  | 'no_drafter'
  /** The drafter does not fit the target. */
  | 'drafter_mismatch'
  /** Speculation was switched off. */
  | 'draft_length_zero'
  /** Each position is reported, so each is decoded alone. */
  | 'logprobs_requested'
  /** The text may grow longer than what the drafter was made for. */
  | 'context_limit';

export type FinishReason =
  /** An end token or a stop string. */
  | 'stop'
  /** The token limit, or the end of the model's context. */
  | 'length'
  /** The output repeated itself. */
  | 'repetition'
  | 'cancelled'
  | 'superseded'
  /** The consumer stopped reading. */
  | 'abandoned';

/** One draft, verify, accept, commit. */
export interface Round {
  /** The name of the drafter; undefined for a plain step. */
  readonly source: string | undefined;
  readonly drafted: number;
  readonly accepted: number;
  /** Tokens emitted, the correction or bonus included. */
  readonly tokens: readonly number[];
  readonly draftMs: number;
  readonly verifyMs: number;
  /** Part of the two above spent in building the graphs in JavaScript. */
  readonly buildMs: number;
}

/** How many drafts of one drafter were verified and accepted. */
export interface SourceStats {
  /** The drafter's name. */
  readonly name: string;
  /** Rounds that verified its drafts. */
  readonly rounds: number;
  readonly drafted: number;
  readonly accepted: number;
}

/** Another server tells less than our own engine: null is unknown there. */
export interface RequestStats<Unknown extends null = never> {
  readonly promptTokens: number | Unknown;
  /** Prompt tokens whose keys and values were still in memory. */
  readonly reusedTokens: number | Unknown;
  /** Tokens emitted, the end token included. */
  readonly emittedTokens: number | Unknown;
  readonly rounds: number | Unknown;
  /** Tokens from rounds: all but the first, if that came from prefill. */
  readonly roundTokens: number | Unknown;
  readonly draftedTokens: number | Unknown;
  readonly acceptedTokens: number | Unknown;
  /** Entry i counts the rounds in which draft i was accepted, and those in which it was verified at all. */
  readonly acceptedByPosition: readonly number[];
  readonly draftedByPosition: readonly number[];
  /** The same by drafter, for each that drafted. */
  readonly sources: readonly SourceStats[];
  /** From the request to its first token, queueing included. */
  readonly timeToFirstTokenMs: number | Unknown;
  /** Time spent waiting for steps of other requests. */
  readonly queuedMs: number | Unknown;
  readonly prefillMs: number | Unknown;
  readonly draftMs: number | Unknown;
  readonly verifyMs: number | Unknown;
  /** Part of draftMs and verifyMs spent in building graphs; freeing their intermediates is not in it. */
  readonly buildMs: number | Unknown;
  /** Time in rounds: without the pauses of the consumer, and without what the process does between two rounds. */
  readonly decodeMs: number | Unknown;
  readonly peakMemoryBytes: number | Unknown;
  readonly finishReason: FinishReason;
  readonly speculationOff: SpeculationOff | undefined;
  /** With it the same request gives the same text; undefined when nothing was drawn at random. */
  readonly seed?: number | undefined;
}

export interface Rates<Unknown extends null = never> {
  /** On average, the correction or bonus included. */
  readonly tokensPerRound: number | Unknown;
  readonly acceptanceRate: number | Unknown;
  readonly decodeTokensPerSecond: number | Unknown;
  readonly endToEndTokensPerSecond: number | Unknown;
}

/**
 * The one shape of statistics in JSON, on the command line and over HTTP: counters and the rates derived from them.
 * Absent and unknown values are null, so that the keys never vary.
 */
export function statsObject(stats: RequestStats<null>): Record<string, unknown> {
  return {
    ...stats,
    speculationOff: stats.speculationOff ?? null,
    seed: stats.seed ?? null,
    ...rates(stats),
  };
}

/** All rates of a request; 0 where there is nothing to divide by, null where a counter is unknown. */
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

function ratio(part: number | null, whole: number | null, factor = 1): number | null {
  if (part === null || whole === null) return null;
  return whole > 0 && part > 0 ? (factor * part) / whole : 0;
}
