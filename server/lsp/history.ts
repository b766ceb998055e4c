// The last requests that reached the engine, for the panel, and the last prompt that somebody waited for, for the
// comparison.
import type { StatsRow } from '../protocol';
import type { Outbox } from './outbox';
import { statsRow, type RecordedDecode, type RowLabel } from './statsRow';

const MAX_ROWS = 200;

export type RequestLabel = Omit<RowLabel, 'id' | 'at'>;

export class History {
  readonly #rows: StatsRow[] = [];
  #nextId = 1;
  #last: RecordedDecode | undefined;

  constructor(
    private readonly outbox: Outbox,
    private readonly now: () => number = Date.now,
  ) {}

  get rows(): readonly StatsRow[] {
    return this.#rows;
  }

  /** Token ids mean nothing to another model. */
  lastPromptIds(pair: string): readonly number[] | undefined {
    return this.#last?.pair === pair ? this.#last.promptIds : undefined;
  }

  /** Counts one decode and tells the client. */
  record(label: RequestLabel, decode: RecordedDecode, textOf: (token: number) => string): StatsRow {
    const row = statsRow({ ...label, id: this.#nextId++, at: this.now() }, decode, textOf);
    this.#rows.push(row);
    if (this.#rows.length > MAX_ROWS) this.#rows.shift();
    if (label.kind !== 'prefetch') this.#last = decode;
    this.outbox.stats(row);
    return row;
  }
}
