// Time to suggestion on this machine: from a request to the first text shown.
import type { ModelInfo } from '../../server/protocol/messages';
import { median } from '../../server/rules/median';

/** Enough samples to keep rare loads and long prompts out of the median. */
const SAMPLE_COUNT = 20;

export class SuggestionTimes {
  #model = '';
  #samplesMs: readonly number[] = [];

  /** Drops the samples of another model. */
  useModel({ target, drafter, device, remote }: ModelInfo): void {
    const model = JSON.stringify([target, drafter, device, remote?.host]);
    if (model !== this.#model) this.#samplesMs = [];
    this.#model = model;
  }

  add(milliseconds: number): void {
    this.#samplesMs = [...this.#samplesMs, milliseconds].slice(-SAMPLE_COUNT);
  }

  /** Median, ms; undefined before the first suggestion. */
  get medianMs(): number | undefined {
    return this.#samplesMs.length === 0 ? undefined : median(this.#samplesMs);
  }
}
