// How long a failing exchange is tried again: a pause that doubles, and an end when nothing has arrived for some tries.
// Knows neither addresses nor what is exchanged.
import type { Wait } from './connection';

export interface Failure {
  /** Undefined when the network failed. */
  readonly status: number | undefined;
  /** In plain words. */
  readonly got: string;
  /** Asked for by the hub, from now. */
  readonly retryAfterMs?: number | undefined;
  /** Of an answer of the hub itself. */
  readonly errorCode?: string | undefined;
}

const MOST_FAILURES = 6;
const FIRST_PAUSE_MS = 500;
/** Nobody watches a download that stands still for longer. */
const LONGEST_PAUSE_MS = 120_000;

export class Patience {
  #failures = 0;

  constructor(private readonly wait: Wait) {}

  /** Something has arrived: whatever fails now fails for the first time. */
  renew(): void {
    this.#failures = 0;
  }

  /** Pauses, or gives back false at once for what would fail again. */
  async lasts(failure: Failure, signal?: AbortSignal): Promise<boolean> {
    if (!isPassing(failure.status)) return false;
    this.#failures += 1;
    const pause = failure.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (this.#failures - 1);
    if (this.#failures >= MOST_FAILURES || pause > LONGEST_PAUSE_MS) return false;
    await this.wait(pause, signal);
    return true;
  }
}

function isPassing(status: number | undefined): boolean {
  return status === undefined || status === 408 || status === 429 || status >= 500;
}

/** From a Retry-After header: seconds, or a date. */
export function parseRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const seconds = /^\s*\d+\s*$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds * 1000);
}
