// How long suggestions take on this machine, from the request to the first text that is shown, and whether that is too
// long to be of use. Does not know what is shown.
import type { ModelInfo } from '../../server/protocol/messages';
import { median } from '../../server/rules/median';

/** Who waits for a second loses the thread; half a second more leaves out a machine that is merely busy. */
export const USEFUL_MS = 1500;
/** Enough that loads and long prompts, which are rare, do not count. */
export const COUNTED = 20;

export class SuggestionTimes {
  #model = '';
  #times: readonly number[] = [];

  /** Times of another model say nothing about this one. */
  of({ target, drafter, device, remote }: ModelInfo): void {
    const model = JSON.stringify([target, drafter, device, remote?.host]);
    if (model !== this.#model) this.#times = [];
    this.#model = model;
  }

  add(milliseconds: number): void {
    this.#times = [...this.#times, milliseconds].slice(-COUNTED);
  }

  /** The median in milliseconds; undefined before the first. */
  get typical(): number | undefined {
    return this.#times.length === 0 ? undefined : median(this.#times);
  }

  /** See slowMs(). */
  slow(debounceMs: number): number | undefined {
    return slowMs(this.#times, debounceMs);
  }
}

/** The median of the times if it is too long, in milliseconds. A pause that the user has set is not held against it. */
export function slowMs(times: readonly number[], debounceMs: number): number | undefined {
  if (times.length < COUNTED) return undefined;
  const typical = median(times);
  return typical > USEFUL_MS + debounceMs ? typical : undefined;
}
