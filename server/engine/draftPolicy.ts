// Who drafts in the next round, and how much of it is verified. The text does not depend on it, only the speed.
import { draftWith, type Draft } from './draft';
import type { RoundStart } from './roundStart';

/** What a round came to, for those who learn from it. */
export interface RoundOutcome {
  /** Rows of the target's pass. */
  readonly rows: number;
  /** What was verified, and how many of it stayed. */
  readonly draft: Draft;
  readonly accepted: number;
  /** What comes after the anchor: the accepted drafts and the target's own next token. */
  readonly tokens: readonly number[];
  readonly draftMs: number;
  /** Verifying and committing. */
  readonly verifyMs: number;
}

export interface DraftPolicy {
  /** Drafts at most `room` tokens after the anchor; all of them are verified. */
  draft(start: RoundStart, room: number): Promise<Draft>;
  observe(outcome: RoundOutcome): void;
}

/** Always as many drafts of the first drafter as there is room for, up to `length`; none when there is no drafter. */
export function fixedLength(length: number): DraftPolicy {
  return {
    draft: async (start, room) => {
      const most = start.memory.drafters[0]?.maxDraftTokens ?? 0;
      return await draftWith(start, 0, Math.min(length, room, most));
    },
    observe: () => undefined,
  };
}
