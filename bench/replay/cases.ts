// What kind of request each one was: by what the person had done before it, by what the engine did for it, and by
// what came of it.
import type { RequestStats } from '../../server/engine/stats';
import type { Asked } from './editor';

export const CASES = [
  /** Into the text that was shown, and answered without the engine. */
  'typedThrough',
  /** Right after a suggestion was accepted, all of it or a part. */
  'afterAccept',
  /** Before the engine had read the document, since the cursor has come there, and little of it was still there. */
  'coldFile',
  /** The others that the engine worked for. */
  'warmSingleLine',
  'warmMultiLine',
  /** The others that it did not work for: what had been suggested there before. */
  'recalled',
] as const;

export type Case = (typeof CASES)[number];

export interface Judged {
  readonly asked: Asked;
  readonly case: Case;
  readonly ending: 'shown' | 'nothing' | 'cancelled';
}

/** Requests in the order in which they were answered. */
export function judged(requests: readonly Asked[]): Judged[] {
  const read = new Set<number>();
  return requests.map((asked) => {
    const which = caseOf(asked, read.has(asked.visit));
    if (asked.rows.some(({ stats }) => stats.emittedTokens > 0)) read.add(asked.visit);
    return { asked, case: which, ending: endingOf(asked) };
  });
}

function caseOf({ cause, rows, text = '' }: Asked, isRead: boolean): Case {
  if (cause === 'accepted') return 'afterAccept';
  if (rows.length === 0) return cause === 'typedAlong' ? 'typedThrough' : 'recalled';
  if (!isRead && reuseRate(rows.map(({ stats }) => stats)) < 0.5) return 'coldFile';
  return text.includes('\n') ? 'warmMultiLine' : 'warmSingleLine';
}

/** What comes after a cancellation is not shown. */
function endingOf({ cancelMs, text }: Asked): Judged['ending'] {
  if (cancelMs !== undefined) return 'cancelled';
  return text === undefined ? 'nothing' : 'shown';
}

/** The part of the prompt tokens that had not to be read; 0 of nothing. */
export function reuseRate(stats: readonly RequestStats[]): number {
  const prompt = stats.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
  return prompt === 0 ? 0 : stats.reduce((sum, { reusedTokens }) => sum + reusedTokens, 0) / prompt;
}
