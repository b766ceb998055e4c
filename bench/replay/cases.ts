// The case of each request: by what the person had done before it, what the engine did for it, and its outcome.
import type { RequestStats } from '../../server/engine/request/stats';
import type { Asked } from './editor';

/** As tables name them. */
export const CASE_NAMES = {
  /** Typed along the suggestion on screen, and answered without the engine. */
  typedThrough: 'typed through',
  /** Right after a suggestion was accepted, in whole or in part. */
  afterAccept: 'after accepting',
  /** Before the engine has read the document since the cursor came there, and with little of it still in memory. */
  coldFile: 'cold file',
  /** The other ones that the engine worked for. */
  warmSingleLine: 'warm, single line',
  warmMultiLine: 'warm, multi-line',
  /** The other ones without work for the engine: what had been suggested there before. */
  recalled: 'recalled',
};

export type Case = keyof typeof CASE_NAMES;

export const CASES = Object.keys(CASE_NAMES) as readonly Case[];

export interface Judged {
  readonly asked: Asked;
  readonly case: Case;
  readonly ending: 'shown' | 'nothing' | 'cancelled';
}

/** Requests in the order of their answers. */
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

/** An answer after a cancellation is not shown. */
function endingOf({ cancelMs, text }: Asked): Judged['ending'] {
  if (cancelMs !== undefined) return 'cancelled';
  return text === undefined ? 'nothing' : 'shown';
}

/** The share of prompt tokens that did not have to be read; 0 without any. */
export function reuseRate(stats: readonly RequestStats[]): number {
  const prompt = stats.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
  return prompt === 0 ? 0 : stats.reduce((sum, { reusedTokens }) => sum + reusedTokens, 0) / prompt;
}
