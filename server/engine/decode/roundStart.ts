// The state that a round of speculative decoding starts from.
import type { Sampler, TokenContext } from '../sampling/sampler';
import type { DecodeMemory } from './decodeMemory';
import type { Stopwatch } from './stopwatch';

export interface RoundStart {
  readonly memory: DecodeMemory;
  /**
   * Committed tokens that the memory does not hold: the last one, which is the anchor, and before it the end of the
   * prompt if that is unread.
   */
  readonly uncached: readonly number[];
  readonly sampler: Sampler;
  /** The text up to and including the anchor. */
  readonly context: TokenContext;
  /** Tokens that the output is likely to repeat, in addition to those of its prompt. */
  readonly promptLookupIds?: readonly number[] | undefined;
  /** A draft ends before its first token with a lower confidence, 0 to 1; absent keeps all tokens. */
  readonly confidenceThreshold?: number | undefined;
  readonly stopwatch: Stopwatch;
}
