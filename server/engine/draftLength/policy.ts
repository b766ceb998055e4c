// How many drafts a round verifies: what a policy is given, what it learns from, and the policy of a fixed length. Only the
// speed depends on it, not the text.
import type { Drafter } from '../../models/drafters/drafter';
import { draftWith, type Draft } from '../decode/draft';
import type { RoundStart } from '../decode/roundStart';

/** A draft that was made for a round, verified or not. */
export interface Candidate {
  readonly draft: Draft;
  /** Drafts requested of a drafter whose pass costs time; 0 for a look-up. */
  readonly requested: number;
  /** Whether the drafter's pass also read the prompt, as the first one does. */
  readonly readsPrompt: boolean;
  /** Whether the drafter was used although it does not seem worth its pass. */
  readonly isTrial: boolean;
}

/** Everything that belongs to one round, so that decodes which take turns share only what was learned. */
export interface Proposal {
  /** The draft to verify. */
  readonly draft: Draft;
  readonly candidates: readonly Candidate[];
}

/** The outcome of a round, for policies that learn from it. */
export interface RoundOutcome {
  readonly candidates: readonly Candidate[];
  /** Rows of the target's pass. */
  readonly rows: number;
  /** The verified draft, and how many of its tokens were accepted. */
  readonly draft: Draft;
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
  draft(start: RoundStart, room: number): Promise<Proposal>;
  observe(outcome: RoundOutcome): void;
}

/** Always as many drafts of the first drafter as there is room for, up to `length`; none when there is no drafter. */
export function fixedLength(length: number): DraftPolicy {
  return {
    draft: async (start, room) => {
      const most = start.memory.drafters[0]?.maxDraftTokens ?? 0;
      return { draft: await draftWith(start, 0, Math.min(length, room, most)), candidates: [] };
    },
    observe: () => undefined,
  };
}

/** Rows of the drafter's pass that makes so many drafts. */
export function rowsOf(
  { maxDraftTokens, minBlockSize = maxDraftTokens + 1 }: Drafter,
  drafts: number,
): number {
  return Math.max(drafts + 1, minBlockSize);
}
