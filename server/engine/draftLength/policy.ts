// Contract of a draft policy, which decides how many drafts a round verifies. A policy affects the speed, never the
// distribution of the text.
import type { Draft } from '../decode/draft';
import type { RoundStart } from '../decode/roundStart';

/** A draft made for a round, whether it is verified or not. */
export interface Candidate {
  readonly draft: Draft;
  /** Drafts requested from a drafter whose pass costs time; 0 for a look-up. */
  readonly requested: number;
  /** Whether the drafter's pass also read the prompt, as its first pass does. */
  readonly readsPrompt: boolean;
  /** Whether the drafter was used to measure it, although its pass is not expected to pay. */
  readonly isTrial: boolean;
}

/** A policy's decision for one round. It holds the state of the round, so concurrent decodes can share a policy. */
export interface DraftChoice {
  /** The draft to verify. */
  readonly draft: Draft;
  readonly candidates: readonly Candidate[];
}

/** Outcome of a round, from which policies learn. */
export interface RoundOutcome {
  readonly candidates: readonly Candidate[];
  /** Rows of the target's pass. */
  readonly rows: number;
  /** The verified draft. */
  readonly draft: Draft;
  /** Number of accepted tokens of `draft`. */
  readonly accepted: number;
  /** Tokens after the anchor: the accepted drafts and the target's own next token. */
  readonly tokens: readonly number[];
  /** Whether the output ends with them. */
  readonly isLast: boolean;
  readonly draftMs: number;
  /** Milliseconds of verifying and committing. */
  readonly verifyMs: number;
}

export interface DraftPolicy {
  /** Drafts at most `room` tokens after the anchor. */
  draft(start: RoundStart, room: number): Promise<DraftChoice>;
  /** Learns from the outcome of a round; called after each one. */
  observe(outcome: RoundOutcome): void;
}
