// How long an automatic request waits for a pause in typing. Within a word the next key is about to come: where it comes
// before a suggestion could, a request that does not wait for it is broken off (docs/internals/decisions.md).
import type { CompletionContext } from './context';
import { ENDS_IN_NAME } from './language';
import type { Settle, SuggestResult } from './suggest';

/** Keys that are further apart have a thought between them. */
const LONGEST_BETWEEN_KEYS_MS = 500;
/** By how much a key is late that does not come. */
const LATE = 1.1;
/** For people who type slowly. */
const LONGEST_WAIT_MS = 250;
/** Of the newest value, in a mean. */
const SHARE = 0.1;

export class TypingPause {
  #lastKeyAt = -Infinity;
  /** Usual milliseconds between two keys, and from the end of the wait to the answer. */
  #betweenKeys: number | undefined;
  #toAnswer: number | undefined;

  constructor(
    private readonly settle: Settle,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** A key was pressed. */
  typed(): void {
    const at = this.now();
    const sinceLast = at - this.#lastKeyAt;
    this.#lastKeyAt = at;
    if (sinceLast <= LONGEST_BETWEEN_KEYS_MS) this.#betweenKeys = mean(this.#betweenKeys, sinceLast);
  }

  /** Of a request that arrived at some time, from which on it waits. */
  of({ lineBefore }: CompletionContext, arrivedAt: number) {
    let pausedMs: number | undefined;
    let startedAt: number | undefined;
    return {
      settle: async (debounceMs: number, signal: AbortSignal): Promise<void> => {
        const from = this.now();
        // Time spent waiting for the model counts.
        await this.settle(this.#wait(debounceMs, lineBefore) - (from - arrivedAt), signal);
        const end = this.now();
        pausedMs = end - from;
        if (!signal.aborted) startedAt = end;
      },
      /** Milliseconds; undefined if it did not have to wait. */
      get pausedMs(): number | undefined {
        return pausedMs;
      },
      ended: (outcome: SuggestResult['outcome']): void => {
        if (startedAt === undefined) return;
        const ms = this.now() - startedAt;
        // One that was broken off would have taken longer.
        const isLong = ms > (this.#toAnswer ?? 0);
        if (outcome !== 'cancelled' || isLong) this.#toAnswer = mean(this.#toAnswer, ms);
      },
    };
  }

  /** `debounceMs` is the least; none at all means none. */
  #wait(debounceMs: number, lineBefore: string): number {
    const [keys, answer] = [this.#betweenKeys ?? 0, this.#toAnswer ?? 0];
    if (debounceMs === 0 || answer <= keys || !ENDS_IN_NAME.test(lineBefore)) return debounceMs;
    return Math.max(debounceMs, Math.min(LONGEST_WAIT_MS, LATE * keys));
  }
}

function mean(before: number | undefined, newest: number): number {
  return before === undefined ? newest : before + SHARE * (newest - before);
}
