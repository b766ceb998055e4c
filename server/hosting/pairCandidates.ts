// Which pair, or which remote engine, a client's settings lead to, in the order in which they are tried. A remote engine
// that failed is tried again when somebody needs it, after pauses that double.
import { LoadCrash } from './profileStore';
import { RemoteError } from '../remote/remoteError';
import type { ClientSettings } from '../protocol/messages';
import { explained } from './loadedStatus';
import type { PairChoice } from './loadedModel';
import { localPair } from './localModel';
import { isProgram } from '../rules/remoteAddress';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export class PairCandidates {
  /** The last pair in this process that was loaded successfully; a remote engine is used only while it is named. */
  #proven: PairChoice | undefined;
  #failures = 0;
  #dueAt = 0;
  #problem: string | undefined;
  #isReaching = false;
  /** The last pair that failed has taken processes down. */
  #hasCrashed = false;

  /** The reason why the remote engine of the settings is not in use, until it works. */
  get remoteProblem(): string | undefined {
    return this.#problem;
  }

  /** Whether it is time to try the remote engine again. */
  get isRetryDue(): boolean {
    return this.#problem !== undefined && performance.now() >= this.#dueAt;
  }

  get hasProven(): boolean {
    return this.#proven !== undefined;
  }

  /** Those after the first are for when that cannot be loaded. */
  *of(settings: ClientSettings): Generator<PairChoice> {
    if (usesRemote(settings)) return yield* this.#remote(settings);
    yield settings;
    if (this.#proven && !samePair(this.#proven, settings)) yield this.#proven;
    // Otherwise whoever has chosen it would have nothing.
    else if (this.#hasCrashed) yield { ...localPair(settings), target: '', drafter: '' };
  }

  #remote(settings: ClientSettings): readonly PairChoice[] {
    const fallback = settings.remote.fallback ? [localPair(settings)] : [];
    return this.#problem === undefined || this.isRetryDue ? [settings, ...fallback] : fallback;
  }

  /** Other settings deserve a first attempt. */
  reset(): void {
    this.#failures = 0;
    this.#problem = undefined;
  }

  worked(choice: PairChoice): void {
    if (usesRemote(choice)) this.reset();
    else this.#proven = choice;
  }

  /** Returns the line for the user. */
  failed(error: unknown, log: (line: string) => void): string {
    const line = explained(error, log);
    this.#hasCrashed = error instanceof LoadCrash;
    if (!(error instanceof RemoteError)) return line;
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#dueAt =
      performance.now() + Math.max(pause, Math.min(LONGEST_PAUSE_MS, error.facts.retryAfterMs ?? 0));
    this.#problem = line;
    return line;
  }

  /** Asks again if it is time to; false unless the remote engine answers. */
  async reachAgain(reach: () => Promise<void>, log: (line: string) => void): Promise<boolean> {
    if (!this.isRetryDue || this.#isReaching) return false;
    this.#isReaching = true;
    try {
      await reach();
      return true;
    } catch (error) {
      this.failed(error, log);
      return false;
    } finally {
      this.#isReaching = false;
    }
  }
}

export function usesRemote({ remote }: Pick<PairChoice, 'remote'>): boolean {
  return remote !== undefined && remote.url !== '';
}

export function samePair(a: PairChoice, b: PairChoice): boolean {
  const [mine, theirs] = [a, b].map((each) => {
    if (usesRemote(each)) return JSON.stringify([each.remote, each.remoteKey, serverDrafter(each)]);
    return JSON.stringify(localPair(each));
  });
  return mine === theirs;
}

/** Of a llama-server that is started here; another engine has its own. */
export function serverDrafter({ remote, drafter }: PairChoice): string {
  return isProgram(remote?.url) ? drafter : '';
}
