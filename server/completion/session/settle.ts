// Waits for a pause in typing before an automatic request or a prefetch uses the model.
import { setTimeout as pause } from 'node:timers/promises';

/** Waits for the given number of milliseconds; resolves early when the signal aborts. */
export type Settle = (milliseconds: number, signal: AbortSignal) => Promise<void>;

export const settle: Settle = async (milliseconds, signal) => {
  if (milliseconds > 0) await pause(milliseconds, undefined, { signal }).catch(() => undefined);
};
