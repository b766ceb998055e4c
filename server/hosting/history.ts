// Records the last requests that reached the engine, for the panel and the status bar. Keeps the last prompt that was
// not prefetched, so that the user can compare its decode with and without drafts.
import type { DecodeResult } from '../engine/decode/decode';
import { rates, type Round } from '../engine/request/stats';
import type { ModelInfo, StatsRow, TokenPiece } from '../protocol/messages';
import type { PartSize } from '../rules/partSize';

const MAX_ROWS = 200;

/** The result and cost of one decode. */
export interface RecordedDecode extends DecodeResult<null> {
  /** Identity of the pair that decoded. */
  readonly pair: string;
  readonly model: ModelInfo;
  readonly promptIds: readonly number[];
  readonly parts?: readonly PartSize[];
  readonly rounds: readonly Round[];
  /** Whether it was drawn at random, as an alternative to the most probable text. */
  readonly isDrawn: boolean;
}

/** Description of a decode, as its row shows it. */
interface DecodeLabel {
  readonly kind: StatsRow['kind'];
  readonly file: StatsRow['file'];
  readonly outcome: StatsRow['outcome'];
  readonly pausedMs?: number;
}

export class History {
  readonly #rows: StatsRow[] = [];
  #nextId = 1;
  #last: RecordedDecode | undefined;

  constructor(private readonly onRow: (row: StatsRow) => void) {}

  get rows(): readonly StatsRow[] {
    return this.#rows;
  }

  /** Returns the last prompt; undefined without one, or if another pair decoded it: token ids differ between pairs. */
  lastPromptIds(pair: string): readonly number[] | undefined {
    return this.#last?.pair === pair ? this.#last.promptIds : undefined;
  }

  /** Records one decode. `textOf` returns the text of a single token. */
  record(label: DecodeLabel, decode: RecordedDecode, textOf: (token: number) => string): StatsRow {
    const { rounds, stats } = decode;
    const row = {
      ...label,
      id: this.#nextId++,
      at: Date.now(),
      model: decode.model,
      ...(decode.parts && { prompt: decode.parts }),
      stats,
      rates: rates(stats),
      acceptanceLengths: decode.tokenIds && rounds.map(({ tokens }) => tokens.length),
      rounds: tokenPieces(decode, textOf),
    };
    this.#rows.push(row);
    if (this.#rows.length > MAX_ROWS) this.#rows.shift();
    if (label.kind !== 'prefetch') this.#last = decode;
    this.onRow(row);
    return row;
  }
}

/** Returns the output by round and token, the token from prefill first; empty if the tokens are not known. */
function tokenPieces(
  { tokenIds, rounds }: RecordedDecode,
  textOf: (token: number) => string,
): TokenPiece[][] {
  if (tokenIds === null) return [];
  const roundTokens = rounds.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const prefillTokens = tokenIds.slice(0, tokenIds.length - roundTokens);
  const prefill = prefillTokens.map((token): TokenPiece => ({ text: textOf(token), source: 'prefill' }));
  const roundPieces = ({ tokens, accepted }: Round): TokenPiece[] =>
    tokens.map((token, i) => ({ text: textOf(token), source: i < accepted ? 'draft' : 'target' }));
  return [...(prefill.length > 0 ? [prefill] : []), ...rounds.map(roundPieces)];
}
