// Gives ghost text priority: next edits wait while ghost text is being computed.
import { passTurns } from '../machine/turns';

/** Maximum wait of a next edit. An edit that comes even later is not useful. */
const MAX_WAIT_MS = 2000;
/**
 * Turns of the event loop that it takes to send ghost text and the messages queued before it. The prefill of a next
 * edit must not begin earlier, as it would delay them.
 */
const SENDING_TURNS = 8;

export class GhostTextTurns {
  /** Number of requests for ghost text that are running or whose text is being sent. */
  #running = 0;
  /** Functions that end the waits of next edits. */
  readonly #waiting = new Set<() => void>();

  /** Runs a request for ghost text; next edits wait until its text is sent. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await work();
    } finally {
      void this.#endAfterSending();
    }
  }

  /** Counts a request as ended once its text is sent. */
  async #endAfterSending(): Promise<void> {
    await passTurns(SENDING_TURNS);
    this.#running -= 1;
    if (this.#running === 0) for (const endWait of this.#waiting) endWait();
  }

  /** Waits until no request for ghost text runs, up to the maximum; resolves early when the signal aborts. */
  async quiet(signal: AbortSignal): Promise<void> {
    if (this.#running === 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      // eslint-disable-next-line @typescript-eslint/no-use-before-define -- the timer and its end name each other
      const timer = setTimeout(() => endWait(), MAX_WAIT_MS).unref();
      const endWait = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(endWait);
        signal.removeEventListener('abort', endWait);
        resolve();
      };
      this.#waiting.add(endWait);
      signal.addEventListener('abort', endWait, { once: true });
    });
  }
}
