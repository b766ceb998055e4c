// Contract of a decode: its request, the chunks that it yields while it runs, and its result.
import type { QueueTicket, RequestKind } from '../request/queueTicket';
import type { SamplingOptions } from '../request/sampling';
import type { TokenLogprobs } from '../sampling/sampler';
import type { FinishReason, RequestStats, Round } from '../request/stats';

/** Maximum number of drafts per round, or the way to choose it. */
export type DraftLength = number | 'full' | 'adaptive';

/** Options of a decode, in addition to its prompt. */
export interface DecodeRequest {
  /** Maximum number of tokens to emit, the end token included. */
  readonly maxTokens: number;
  /**
   * Maximum number of drafts per round: 0 decodes plainly, 'full', the default, uses the drafter's whole block,
   * 'adaptive' the length measured to be fastest, with drafts looked up in the prompt as well. The text does not depend
   * on it, unless drafts are drawn at random or bfloat16 has a near tie (see `PairFiles.strict`).
   */
  readonly draftLength?: DraftLength | undefined;
  /**
   * Cuts drafts before the first token with a lower confidence, 0 to 1, by the drafter's confidence head or else the
   * probability of its best token; for looked-up tokens, by the acceptance rate that was measured for the length of
   * their match. 0, the default, cuts none. Changes the text only where `draftLength` does.
   */
  readonly confidenceThreshold?: number | undefined;
  /** Sampling of tokens; greedy by default. */
  readonly sampling?: SamplingOptions | undefined;
  /**
   * Reports the log-probability of each token of a greedy decode, which still drafts. Ignored for other sampling, where
   * `sampling.logprobs` reports them but switches drafts off. The text does not depend on it.
   */
  readonly greedyLogprobs?: boolean | undefined;
  readonly stopStrings?: readonly string[] | undefined;
  /** Tokens that end the output, in addition to the target's own end tokens. */
  readonly stopTokenIds?: readonly number[] | undefined;
  /** Special tokens to spell out in the text, such as the one that begins a tool call. */
  readonly spelledTokenIds?: readonly number[] | undefined;
  /**
   * Returns whether the consumer stops reading once the output begins with `text`, so that nothing is drafted beyond.
   * Must stay true for every continuation of such a text.
   */
  readonly isComplete?: ((text: string) => boolean) | undefined;
  /** Ends an output that repeats the same tokens over and over: see `RepetitionGuard`. */
  readonly repetitionGuard?: boolean | undefined;
  /** Aborting with the reason 'superseded' ends the decode as superseded, with any other as cancelled. */
  readonly signal?: AbortSignal | undefined;
  /** Bypasses the prompt cache: reads the whole prompt and keeps none of it, for comparisons. */
  readonly fresh?: boolean | undefined;
  /** Tokens that the output is likely to repeat, in addition to those of the prompt. */
  readonly promptLookupIds?: readonly number[] | undefined;
  /** Urgency (see `Scheduler`). Requests of all kinds but `nextEdit` also end a running prefetch. */
  readonly kind?: RequestKind | undefined;
  /** Queue ticket to share with the other outputs of one request; by default a new one. */
  readonly ticket?: QueueTicket | undefined;
}

/** Committed tokens, with the text that became certain. Null where a remote server does not report the value. */
export interface DecodeChunk<Unknown extends null = never> {
  readonly tokens: readonly number[] | Unknown;
  readonly text: string;
  /** One entry per token, if requested. */
  readonly logprobs?: readonly TokenLogprobs[] | undefined;
  /** Absent for a token that comes from prefill, and for held-back text at the end, which has no tokens. */
  readonly round?: Round | undefined;
}

export interface DecodeResult<Unknown extends null = never> {
  readonly tokenIds: readonly number[] | Unknown;
  /** Null without a tokenizer. */
  readonly text: string | null;
  /** One entry per token, if requested. */
  readonly logprobs?: readonly TokenLogprobs[] | undefined;
  /** Tokens emitted by each round, the correction or bonus included. */
  readonly acceptanceLengths: readonly number[] | Unknown;
  readonly finishReason: FinishReason;
  readonly stats: RequestStats<Unknown>;
  /** Part of the first round's time (ms) spent reading the end of the prompt; undefined if prefill read all of it. */
  readonly prefillInRoundMs?: number | undefined;
}

/** A running decode: an asynchronous iterable of chunks. `result` is final once the iteration has ended. */
export interface Decode<Unknown extends null = never> extends AsyncIterable<DecodeChunk<Unknown>> {
  readonly result: DecodeResult<Unknown>;
  /** Reads to the end, for callers that do not stream. */
  finish(): Promise<DecodeResult<Unknown>>;
}

/** Throws RangeError for a wrong value: a defect, as callers check user input before. */
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
