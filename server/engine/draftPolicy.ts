// Who drafts in the next round, and how much of it is verified. The text does not depend on it, only the speed.
import type { DecodeMemory } from './decodeMemory';
import { draftWith, type Draft } from './draft';
import type { Stopwatch } from './stopwatch';

/** What a round came to, for those who learn from it. */
export interface RoundOutcome {
  /** Rows of the target's pass. */
  readonly rows: number;
  /** What the target says after the anchor: the accepted drafts and its own next token. */
  readonly tokens: readonly number[];
  readonly draftMs: number;
  /** Verifying and committing. */
  readonly verifyMs: number;
}

export interface DraftPolicy {
  /** Drafts at most `room` tokens after `unread`, whose last one is the anchor; all of them are verified. */
  draft(memory: DecodeMemory, unread: readonly number[], room: number, watch: Stopwatch): Promise<Draft>;
  observe(outcome: RoundOutcome): void;
}

/** Always as many drafts of the first drafter as there is room for, up to `length`; none when there is no drafter. */
export function fixedLength(length: number): DraftPolicy {
  return {
    draft: async (memory, unread, room, watch) => {
      const most = memory.drafters[0]?.maxDraftTokens ?? 0;
      return await draftWith(memory, 0, unread, Math.min(length, room, most), watch);
    },
    observe: () => undefined,
  };
}
