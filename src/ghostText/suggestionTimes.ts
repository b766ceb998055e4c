// How long suggestions take on this machine, from the request to the first text that is shown. Does not know what is
// shown.
import type { ModelInfo } from '../../server/protocol/messages';
import { median } from '../../server/rules/median';

/** Enough that loads and long prompts, which are rare, do not count. */
const COUNTED = 20;

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
}
