// Classifies requests by the preceding action of the user, the engine's work and the outcome.
import type { RequestStats } from '../../server/engine/request/stats';
import type { EditorRequest } from './editor';

/** Names of the cases in tables. */
export const CASE_NAMES = {
  /** The user typed along the visible suggestion; answered without the engine. */
  typedThrough: 'typed through',
  /** The user has just accepted a suggestion, completely or in part. */
  afterAccept: 'after accepting',
  /** First work for the document since the cursor went there, with little of it in the prompt cache. */
  coldFile: 'cold file',
  /** Other requests with work of the engine. */
  warmSingleLine: 'warm, single line',
  warmMultiLine: 'warm, multi-line',
  /** Other requests without work of the engine: an earlier suggestion is shown again. */
  recalled: 'recalled',
};

export type Case = keyof typeof CASE_NAMES;

export const CASES = Object.keys(CASE_NAMES) as readonly Case[];

export interface Judged {
  readonly request: EditorRequest;
  readonly case: Case;
  readonly ending: 'shown' | 'nothing' | 'cancelled';
}

/** Classifies requests, which are in the order of their answers. */
export function judged(requests: readonly EditorRequest[]): Judged[] {
  const decodedVisits = new Set<number>();
  return requests.map((request) => {
    const requestCase = caseOf(request, decodedVisits.has(request.visit));
    if (request.rows.some(({ stats }) => stats.emittedTokens > 0)) decodedVisits.add(request.visit);
    return { request, case: requestCase, ending: endingOf(request) };
  });
}

function caseOf({ cause, rows, text = '' }: EditorRequest, hasDecoded: boolean): Case {
  if (cause === 'accepted') return 'afterAccept';
  if (rows.length === 0) return cause === 'typedAlong' ? 'typedThrough' : 'recalled';
  if (!hasDecoded && reuseRate(rows.map(({ stats }) => stats)) < 0.5) return 'coldFile';
  return text.includes('\n') ? 'warmMultiLine' : 'warmSingleLine';
}

/** Returns how a request ended. An answer after a cancellation is not shown. */
function endingOf({ cancelMs, text }: EditorRequest): Judged['ending'] {
  if (cancelMs !== undefined) return 'cancelled';
  return text === undefined ? 'nothing' : 'shown';
}

/** Returns the share of prompt tokens reused from the cache; 0 without prompt tokens. */
export function reuseRate(stats: readonly RequestStats[]): number {
  const prompt = stats.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
  return prompt === 0 ? 0 : stats.reduce((sum, { reusedTokens }) => sum + reusedTokens, 0) / prompt;
}
