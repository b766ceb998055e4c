// What a decode gives out: chunk by chunk while it runs, and as a whole.
import type { TokenLogprobs } from './sampling/sampler';
import type { FinishReason, RequestStats, Round } from './stats';

/** Tokens that have been committed, with the text that became certain. */
export interface DecodeChunk {
  readonly tokens: readonly number[];
  readonly text: string;
  /** One for each token, when they were asked for. */
  readonly logprobs?: readonly TokenLogprobs[] | undefined;
  /** Absent for the first token, which comes from prefill. */
  readonly round: Round | undefined;
}

export interface DecodeResult {
  readonly tokenIds: readonly number[];
  /** Null without a tokenizer. */
  readonly text: string | null;
  /** One for each token, when they were asked for. */
  readonly logprobs?: readonly TokenLogprobs[] | undefined;
  /** Tokens emitted per round, the correction or bonus included. */
  readonly acceptanceLengths: readonly number[];
  readonly finishReason: FinishReason;
  readonly stats: RequestStats;
}
