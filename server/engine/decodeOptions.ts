// What a decode is asked for, beside its prompt.
import type { LaneKind } from './lane';
import type { SamplingOptions } from './sampling/sampling';

/** Most drafts per round, or how it is chosen. */
export type DraftLength = number | 'full' | 'adaptive';

export interface DecodeOptions {
  readonly maxTokens: number;
  /**
   * Most drafts per round: 0 decodes plainly, 'full' uses the drafter's whole block, 'adaptive' what is measured to
   * be fastest, looked-up drafts included. The text does not depend on it, unless drafts are drawn by chance.
   */
  readonly draftLength?: DraftLength | undefined;
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
  readonly signal?: AbortSignal | undefined;
  /** Reads the whole prompt anew and keeps nothing of it, for comparisons. */
  readonly fresh?: boolean | undefined;
  /** Tokens of text that the output may repeat, beside the prompt. */
  readonly related?: readonly number[] | undefined;
  /**
   * Ghost text goes before generated code, and a newer inline decode supersedes its owner's one before it. What is computed
   * in advance waits for both, and either of them ends it.
   */
  readonly kind?: LaneKind | undefined;
  /** Who asks: only a newer inline decode of the same owner supersedes one. Compared by identity. */
  readonly owner?: object | undefined;
}

/** A wrong number here is a defect of the caller, who has checked what a person gave. */
export function requireOptions(options: DecodeOptions): void {
  const { maxTokens, draftLength, stopStrings = [], stopTokenIds = [] } = options;
  if (!Number.isInteger(maxTokens) || maxTokens < 1) {
    throw new RangeError(`Expected maxTokens to be a whole number above 0, got ${String(maxTokens)}`);
  }
  const count = typeof draftLength === 'number' && draftLength !== Infinity ? draftLength : 0;
  if (!Number.isInteger(count) || count < 0) {
    throw new RangeError(`Expected draftLength to be a whole number, got ${String(draftLength)}`);
  }
  if (stopStrings.includes('')) throw new RangeError('Expected stop strings to be texts, got an empty one');
  if (stopTokenIds.some((id) => !Number.isInteger(id) || id < 0)) {
    throw new RangeError(`Expected stop tokens to be token ids, got ${stopTokenIds.join(', ')}`);
  }
}
