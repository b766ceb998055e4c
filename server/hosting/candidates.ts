// Lists the pairs and remote engines to try for a client's settings, in order. After a remote engine has failed, a
// request that needs it tries it again, after a pause that doubles with each failure.
import type { ClientSettings } from '../protocol/messages';
import { RemoteError } from '../remote/remoteError';
import { reportLoadError } from './leaseStatus';
import { LoadCrash } from './loadMark';
import { isSamePair, localPair, usesRemote, type PairName } from './pairName';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

export class Candidates {
  /** Last local pair that was loaded, to fall back to. A remote engine is never a fallback. */
  #lastLoaded: PairName | undefined;
  #failureCount = 0;
  #retryAt = 0;
  #remoteProblem: string | undefined;
  #isReaching = false;
  /** Whether the latest failure was a pair that had crashed server processes before. */
  #hasCrashed = false;

  constructor(
    private readonly log: (line: string) => void,
    /** Whether to list pairs other than that of the settings. */
    private readonly mayFallBack = true,
  ) {}

  /** Reason why the remote engine of the settings is not in use; undefined once it works. */
  get remoteProblem(): string | undefined {
    return this.#remoteProblem;
  }

  /** Whether it is time to try the remote engine again. */
  get isRetryDue(): boolean {
    return this.#remoteProblem !== undefined && performance.now() >= this.#retryAt;
  }

  /** Whether there is a pair to fall back to. */
  get hasFallback(): boolean {
    return this.mayFallBack && this.#lastLoaded !== undefined;
  }

  /**
   * Lists the pair or remote engine of the settings, then the pairs to try if it cannot be used. Omits a remote engine
   * that has failed until a retry is due.
   */
  *list(settings: ClientSettings): Generator<PairName> {
    if (usesRemote(settings)) return yield* this.#listRemote(settings);
    yield settings;
    if (!this.mayFallBack) return;
    if (this.#lastLoaded && !isSamePair(this.#lastLoaded, settings)) yield this.#lastLoaded;
    // After a crash, fall back to the built-in pair.
    else if (this.#hasCrashed) yield { ...localPair(settings), target: '', drafter: '' };
  }

  /** Forgets failures of the remote engine, so that it is tried immediately. */
  reset(): void {
    this.#failureCount = 0;
    this.#remoteProblem = undefined;
  }

  /** Records that a candidate was loaded. */
  succeeded(name: PairName): void {
    if (usesRemote(name)) this.reset();
    else this.#lastLoaded = name;
  }

  /** Records a failure, and returns a line about it for the user. */
  failed(error: unknown): string {
    const line = reportLoadError(error, this.log);
    this.#hasCrashed = error instanceof LoadCrash;
    if (!(error instanceof RemoteError)) return line;
    const { retryAfterMs = 0 } = error.facts;
    const pauseMs = Math.max(FIRST_PAUSE_MS * 2 ** this.#failureCount, retryAfterMs);
    this.#retryAt = performance.now() + Math.min(MAX_PAUSE_MS, pauseMs);
    this.#failureCount += 1;
    this.#remoteProblem = line;
    return line;
  }

  /** If a retry is due, tries to reach the remote engine. Resolves with whether that succeeded. */
  async retry(reach: () => Promise<void>): Promise<boolean> {
    if (!this.isRetryDue || this.#isReaching) return false;
    this.#isReaching = true;
    try {
      await reach();
      return true;
    } catch (error) {
      this.failed(error);
      return false;
    } finally {
      this.#isReaching = false;
    }
  }

  #listRemote(settings: ClientSettings): readonly PairName[] {
    const fallback = this.mayFallBack && settings.remote.fallback ? [localPair(settings)] : [];
    return this.#remoteProblem === undefined || this.isRetryDue ? [settings, ...fallback] : fallback;
  }
}
