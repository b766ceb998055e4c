// The draft policy of a fixed length, which uses the first drafter only and measures nothing.
import { draftWith } from '../decode/draft';
import type { DraftPolicy } from './policy';

/**
 * Returns a policy that always drafts `length` tokens with the first drafter, or fewer if the output has no room for
 * them or the drafter's maximum is lower.
 */
export function fixedLength(length: number): DraftPolicy {
  return {
    draft: async (start, room) => {
      const maxDrafts = start.memory.drafters[0]?.maxDraftTokens ?? 0;
      return { draft: await draftWith(start, 0, Math.min(length, room, maxDrafts)), candidates: [] };
    },
    observe: () => undefined,
  };
}
