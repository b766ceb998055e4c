// A decode from outside: what it is asked for, and what it gives, chunk by chunk while it runs and as a whole.
import type { LaneKind } from './lane';
import type { SamplingOptions } from './sampling/sampling';
import type { TokenLogprobs } from './sampling/sampler';
import type { FinishReason, RequestStats, Round } from './stats';

/** Most drafts per round, or how it is chosen. */
export type DraftLength = number | 'full' | 'adaptive';

/** Beside the prompt. */
export interface DecodeRequest {
  /** Most tokens to give out, the end token included. */
  readonly maxTokens: number;
  /**
   * Most drafts per round: 0 decodes plainly, 'full' uses the drafter's whole block, 'adaptive' what is measured to
   * be fastest, looked-up drafts included. The text does not depend on it, unless drafts are drawn by chance.
   */
  readonly draftLength?: DraftLength | undefined;
  /**
   * Drafts end before the first one that its drafter is less sure of, from 0 to 1: what its confidence head says, or the
   * probability of its best token where it has none. By default none is too unsure. The text does not depend on it.
   */
  readonly confidenceThreshold?: number | undefined;
  /** How tokens are chosen; the most probable ones unless it says otherwise. */
  readonly sampling?: SamplingOptions | undefined;
  readonly stopStrings?: readonly string[] | undefined;
  /** Tokens that end this output, beside the target's own end tokens. */
  readonly stopTokenIds?: readonly number[] | undefined;
  /**
   * Whether the consumer stops reading at an output that begins with this text: nothing is drafted beyond that. What
   * goes on from such a text must be such a text too.
   */
  readonly isComplete?: ((text: string) => boolean) | undefined;
  /** Ends an output that goes round in circles: the same tokens over and over. */
  readonly repetitionGuard?: boolean | undefined;
  /** Aborting with the reason 'superseded' ends the request as superseded, any other as cancelled. */
  readonly signal?: AbortSignal | undefined;
  /** Reads the whole prompt anew and keeps nothing of it, for comparisons. */
  readonly fresh?: boolean | undefined;
  /** Tokens of text that the output may repeat, beside the prompt. */
  readonly related?: readonly number[] | undefined;
  /**
   * Ghost text goes before generated code. What is computed in advance waits for both, and either of them ends it.
   * (Which of several inline decodes is still wanted, who asks knows: see the session of completions.)
   */
  readonly kind?: LaneKind | undefined;
}

/** Tokens that have been committed, with the text that became certain. */
export interface DecodeChunk {
  readonly tokens: readonly number[];
  readonly text: string;
  /** One for each token, when they were asked for. */
  readonly logprobs?: readonly TokenLogprobs[] | undefined;
  /** Absent for the first token, which comes from prefill. */
  readonly round?: Round | undefined;
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

/** An asynchronous iterable of chunks; `result` is final when the iteration has ended, for whatever reason. */
export interface Decode extends AsyncIterable<DecodeChunk> {
  readonly result: DecodeResult;
  /** Reads to the end, for callers that do not stream. */
  finish(): Promise<DecodeResult>;
}

/** A wrong number here is a defect of the caller, who has checked what a person gave. */
export function requireRequest(request: DecodeRequest): void {
  const { maxTokens, draftLength, confidenceThreshold = 0, stopStrings = [], stopTokenIds = [] } = request;
  if (!Number.isInteger(maxTokens) || maxTokens < 1) {
    throw new RangeError(`Expected maxTokens to be a whole number above 0, got ${String(maxTokens)}`);
  }
  const count = typeof draftLength === 'number' && draftLength !== Infinity ? draftLength : 0;
  if (!Number.isInteger(count) || count < 0) {
    throw new RangeError(`Expected draftLength to be a whole number, got ${String(draftLength)}`);
  }
  if (!(confidenceThreshold >= 0 && confidenceThreshold <= 1)) {
    throw new RangeError(`Expected confidenceThreshold from 0 to 1, got ${String(confidenceThreshold)}`);
  }
  if (stopStrings.includes('')) throw new RangeError('Expected stop strings to be texts, got an empty one');
  if (stopTokenIds.some((id) => !Number.isInteger(id) || id < 0)) {
    throw new RangeError(`Expected stop tokens to be token ids, got ${stopTokenIds.join(', ')}`);
  }
}
