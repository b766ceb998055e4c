// A decode from outside: what is requested, and what it returns, chunk by chunk while it runs and as a whole.
import type { RequestKind, QueuePlace } from '../request/queuePlace';
import type { SamplingOptions } from '../request/sampling';
import type { TokenLogprobs } from '../sampling/sampler';
import type { FinishReason, RequestStats, Round } from '../request/stats';

/** Maximum number of drafts per round, or how it is chosen. */
export type DraftLength = number | 'full' | 'adaptive';

/** What is requested, in addition to the prompt. */
export interface DecodeRequest {
  /** Maximum number of tokens to emit, the end token included. */
  readonly maxTokens: number;
  /**
   * Maximum number of drafts per round: 0 decodes plainly, 'full' uses the drafter's whole block, 'adaptive' what is
   * measured to be fastest, looked-up drafts included. The text does not depend on it, unless drafts are drawn at
   * random.
   */
  readonly draftLength?: DraftLength | undefined;
  /**
   * Drafts end before the first one that the drafter is less sure of, from 0 to 1: by its confidence head, or by the
   * probability of its best token if it has none. 0, the default, ends none. The text does not depend on it.
   */
  readonly confidenceThreshold?: number | undefined;
  /** How tokens are chosen; by default, always the most probable one. */
  readonly sampling?: SamplingOptions | undefined;
  /**
   * Whether each token comes with its log-probability although drafts are used, which the text does not depend on. Only
   * where the most probable token of the bare logits is chosen; otherwise it is ignored.
   */
  readonly tellsProbabilities?: boolean | undefined;
  readonly stopStrings?: readonly string[] | undefined;
  /** Tokens that end this output, in addition to the target's own end tokens. */
  readonly stopTokenIds?: readonly number[] | undefined;
  /** Special tokens that the text has with their spelling, as it tells where a call of a function begins. */
  readonly spelledTokenIds?: readonly number[] | undefined;
  /**
   * Whether the consumer stops reading once the output begins with this text: nothing is drafted beyond that. If it is
   * true of a text, it must be true of every continuation of that text.
   */
  readonly isComplete?: ((text: string) => boolean) | undefined;
  /** Ends an output that repeats the same tokens over and over. */
  readonly repetitionGuard?: boolean | undefined;
  /** Aborting with the reason 'superseded' ends the request as superseded, any other as cancelled. */
  readonly signal?: AbortSignal | undefined;
  /** Reads the whole prompt again and keeps nothing of it, for comparisons. */
  readonly fresh?: boolean | undefined;
  /** Tokens of text that the output may repeat, in addition to the prompt. */
  readonly promptLookupText?: readonly number[] | undefined;
  /**
   * Ghost text goes before generated code. What is computed in advance waits for both, and either of them ends it.
   * (The caller knows which of several inline decodes is still wanted: see the completion session.)
   */
  readonly kind?: RequestKind | undefined;
  /** Its place in the row, which outputs of one request share; by default one of its own, at the end. */
  readonly place?: QueuePlace | undefined;
}

/** Tokens that have been committed, with the text that became certain. Null is unknown, as of another server. */
export interface DecodeChunk<Unknown extends null = never> {
  readonly tokens: readonly number[] | Unknown;
  readonly text: string;
  /** One for each token, if requested. */
  readonly logprobs?: readonly TokenLogprobs[] | undefined;
  /** Absent for the first token, which comes from prefill. */
  readonly round?: Round | undefined;
}

export interface DecodeResult<Unknown extends null = never> {
  readonly tokenIds: readonly number[] | Unknown;
  /** Null without a tokenizer. */
  readonly text: string | null;
  /** One for each token, if requested. */
  readonly logprobs?: readonly TokenLogprobs[] | undefined;
  /** Tokens emitted per round, the correction or bonus included. */
  readonly acceptanceLengths: readonly number[] | Unknown;
  readonly finishReason: FinishReason;
  readonly stats: RequestStats<Unknown>;
  /** The part of the first round's time in which the end of the prompt was read. */
  readonly prefillInRoundMs?: number | undefined;
}

/** An asynchronous iterable of chunks; `result` is final when the iteration has ended, for whatever reason. */
export interface Decode<Unknown extends null = never> extends AsyncIterable<DecodeChunk<Unknown>> {
  readonly result: DecodeResult<Unknown>;
  /** Reads to the end, for callers that do not stream. */
  finish(): Promise<DecodeResult<Unknown>>;
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
