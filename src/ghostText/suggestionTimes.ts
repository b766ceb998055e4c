// Times of suggestions with the model in use, on this machine: from a request to the first text shown, and the last
// decoding speed.
import type { ModelInfo, StatsRow } from '../../server/protocol/messages';
import { median } from '../../server/rules/median';
import { speedOf } from '../status/measuredRate';

/** Enough samples to keep rare loads and long prompts out of the median. */
const SAMPLE_COUNT = 20;

export class SuggestionTimes {
  #model = '';
  #samplesMs: readonly number[] = [];
  #speed: string | undefined;

  /** Drops the samples of another model. */
  useModel({ target, drafter, device, remote }: ModelInfo): void {
    const model = JSON.stringify([target, drafter, device, remote?.host]);
    if (model === this.#model) return;
    this.#model = model;
    this.#samplesMs = [];
    this.#speed = undefined;
  }

  add(milliseconds: number): void {
    this.#samplesMs = [...this.#samplesMs, milliseconds].slice(-SAMPLE_COUNT);
  }

  /** Keeps the speed of a request. Many are too short to measure it; the one before them stays. */
  addSpeed(row: StatsRow): void {
    this.#speed = speedOf(row) ?? this.#speed;
  }

  /** Median, ms; undefined before the first suggestion. */
  get medianMs(): number | undefined {
    return this.#samplesMs.length === 0 ? undefined : median(this.#samplesMs);
  }

  /** Last measured speed, in tokens/s; undefined before the first. */
  get speed(): string | undefined {
    return this.#speed;
  }
}
