// Retries an exchange with the Hub while its failures are temporary.
import { explain } from './downloadError';
import { HubFailure } from './hubFailure';
import type { Hub } from './hub';

const MAX_FAILURES = 6;
const FIRST_PAUSE_MS = 500;
/** Longest pause to wait: for a longer one, the failure is shown to the user instead. */
const MAX_PAUSE_MS = 120_000;

export class Retry {
  /** Failures in a row without any new bytes. */
  #failures = 0;
  /** Maximum number of bytes that had arrived at a failure. */
  #furthest = 0;

  constructor(
    private readonly hub: Hub,
    /** Name of the repository, for error messages. */
    private readonly repository: string,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Retries `attempt`, with pauses that double after each failure or that the Hub asks for, until several
   * attempts in a row have brought no more bytes, as counted by `arrived`. Throws DownloadError for a failure
   * that persists, that no retry can fix or that asks for too long a pause; throws any other error immediately.
   */
  async run<T>(attempt: () => Promise<T>, arrived: () => number = () => 0): Promise<T> {
    for (;;) {
      this.signal.throwIfAborted();
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof HubFailure)) throw error;
        await this.hub.wait(this.#pauseAfter(error, arrived()), this.signal);
      }
    }
  }

  #pauseAfter(failure: HubFailure, bytes: number): number {
    this.#failures = bytes > this.#furthest ? 1 : this.#failures + 1;
    this.#furthest = Math.max(this.#furthest, bytes);
    const pause = failure.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (this.#failures - 1);
    if (!failure.isTemporary || this.#failures >= MAX_FAILURES || pause > MAX_PAUSE_MS)
      throw explain(this.hub, this.repository, failure);
    return pause;
  }
}
