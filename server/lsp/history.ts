// The last requests that reached the engine, for the panel, and the very last prompt, for the comparison.
import type { RecordedDecode } from './statsRow';
import type { StatsRow } from '../protocol';
import type { Outbox } from './outbox';
import { statsRow, type RowLabel } from './statsRow';

const MAX_ROWS = 200;

export type RequestLabel = Omit<RowLabel, 'id' | 'at'>;

export class History {
  readonly #rows: StatsRow[] = [];
  #nextId = 1;
  lastPromptIds: readonly number[] | undefined;

  constructor(
    private readonly outbox: Outbox,
    private readonly now: () => number = Date.now,
  ) {}

  get rows(): readonly StatsRow[] {
    return this.#rows;
  }

  /** Counts one decode and tells the client. */
  record(label: RequestLabel, decode: RecordedDecode, textOf: (token: number) => string): StatsRow {
    const row = statsRow({ ...label, id: this.#nextId++, at: this.now() }, decode, textOf);
    this.#rows.push(row);
    if (this.#rows.length > MAX_ROWS) this.#rows.shift();
    this.lastPromptIds = decode.promptIds;
    this.outbox.stats(row);
    return row;
  }
}
