// Waiting for a pause in typing, with a clock: what a request has waited is told in its statistics.
import type { Settle } from './suggest';

export function timedSettle(settle: Settle) {
  let waited: number | undefined;
  return {
    settle: async (milliseconds: number, signal: AbortSignal): Promise<void> => {
      const from = performance.now();
      await settle(milliseconds, signal);
      waited = performance.now() - from;
    },
    /** Milliseconds; undefined if it did not have to wait. */
    get pausedMs(): number | undefined {
      return waited;
    },
  };
}
