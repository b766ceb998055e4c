// Gives ghost text priority: next edits wait while ghost text is being computed.
import { EventEmitter, once } from 'node:events';
import { passTurns } from '../machine/turns';

/** Maximum wait of a next edit. An edit that comes even later is not useful. */
const MAX_WAIT_MS = 2000;
/**
 * Turns of the event loop that it takes to send ghost text and the messages queued before it. The prefill of a next
 * edit must not begin earlier, as it would delay them.
 */
const SENDING_TURNS = 8;

export class GhostTextPriority {
  /** Number of requests for ghost text that are running or whose text is being sent. */
  #running = 0;
  readonly #events = new EventEmitter<{ quiet: [] }>();

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
    if (this.#running === 0) this.#events.emit('quiet');
  }

  /** Waits until no request for ghost text runs, up to the maximum; resolves early when the signal aborts. */
  async quiet(signal: AbortSignal): Promise<void> {
    if (this.#running === 0) return;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), MAX_WAIT_MS).unref();
    const ended = AbortSignal.any([signal, limit.signal]);
    try {
      await once(this.#events, 'quiet', { signal: ended });
    } catch (error) {
      if (!ended.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
