// Times of suggestions with the model in use, on this machine: from a request to the first text shown, and the last
// decoding speed.
import type { ModelInfo, StatsRow } from '../../server/protocol/messages';
import { formatRate } from '../../server/rules/formatNumber';
import { median } from '../../server/rules/median';
import { measuredRate } from './measuredRate';

/** Enough samples to keep rare loads and long prompts out of the median. */
const SAMPLE_COUNT = 20;

/** Speed of one request. */
export interface Speed {
  /** Tokens per second, formatted. */
  readonly rate: string;
  /** Null if the engine does not report it. */
  readonly tokensPerPass: number | null;
}

export class SuggestionTimes {
  #model = '';
  #samplesMs: readonly number[] = [];
  #speed: Speed | undefined;

  /** Drops the samples and the speed of another model. */
  useModel(info: ModelInfo): void {
    const model = identity(info);
    if (model === this.#model) return;
    this.#model = model;
    this.#samplesMs = [];
    this.#speed = undefined;
  }

  add(milliseconds: number): void {
    this.#samplesMs = [...this.#samplesMs, milliseconds].slice(-SAMPLE_COUNT);
  }

  /**
   * Keeps the speed of a request to the model in use; chats and next edits can use another one. Many requests are too
   * short to measure it; the earlier speed then stays.
   */
  addSpeed(row: StatsRow): void {
    const rate = measuredRate(row);
    if (!rate || identity(row.model) !== this.#model) return;
    this.#speed = { rate: formatRate(rate), tokensPerPass: row.rates.tokensPerRound };
  }

  /** Median, ms; undefined before the first suggestion. */
  get medianMs(): number | undefined {
    return this.#samplesMs.length === 0 ? undefined : median(this.#samplesMs);
  }

  /** Last measured speed; undefined before the first. */
  get speed(): Speed | undefined {
    return this.#speed;
  }
}

function identity({ target, drafter, device, remote }: ModelInfo): string {
  return JSON.stringify([target, drafter, device, remote?.host]);
}
