// The position of a request in the scheduler's queue. All steps of a decode share one ticket, and so do the decodes of
// a request for several answers.

/**
 * Kinds of requests in order of urgency: ghost text, next edits, generated code and all other answers, and prefetches,
 * which no user waits for.
 */
export type RequestKind = 'inline' | 'nextEdit' | 'generate' | 'prefetch';

export class QueueTicket {
  /**
   * Number by arrival, set by the scheduler at the first step, and anew for a long output. The lowest is served first,
   * among inline requests the highest.
   */
  order: number | undefined;
  /** Steps queued so far, including one that still waits for its turn. */
  steps = 0;
  /** Steps of other inline requests that were served first; counted for an inline request only. */
  passedOver = 0;

  constructor(readonly kind: RequestKind = 'generate') {}
}
