// The last requests that reached the engine, each as the panel and the status bar show it, and, for the comparison, the
// last prompt that was not a prefetch.
import type { DecodeResult } from '../engine/decode/decode';
import { rates, type Round } from '../engine/request/stats';
import type { StatsRow, TokenPiece } from '../protocol/messages';
import type { PromptPart } from '../rules/promptPart';

const MAX_ROWS = 200;

/** The result of one decode, and what it cost. */
export interface RecordedDecode extends DecodeResult<null> {
  /** The pair whose tokens these are. */
  readonly pair: string;
  readonly promptIds: readonly number[];
  readonly parts?: readonly PromptPart[];
  readonly rounds: readonly Round[];
  /** Whether its tokens were drawn as an alternative to a more probable text. */
  readonly isDrawn: boolean;
}

export class History {
  readonly #rows: StatsRow[] = [];
  #nextId = 1;
  #last: RecordedDecode | undefined;

  /** `tell` sends a row to the client. */
  constructor(private readonly tell: (row: StatsRow) => void) {}

  get rows(): readonly StatsRow[] {
    return this.#rows;
  }

  /** Token ids mean nothing to another model. */
  lastPromptIds(pair: string): readonly number[] | undefined {
    return this.#last?.pair === pair ? this.#last.promptIds : undefined;
  }

  /** Records one decode and tells the client. `textOf` returns the text of a single token. */
  record(
    label: Pick<StatsRow, 'kind' | 'file' | 'outcome' | 'pausedMs'>,
    decode: RecordedDecode,
    textOf: (token: number) => string,
  ): StatsRow {
    const { rounds, stats } = decode;
    const row = {
      ...label,
      id: this.#nextId++,
      at: Date.now(),
      ...(decode.parts && { prompt: decode.parts }),
      stats,
      rates: rates(stats),
      acceptanceLengths: decode.tokenIds && rounds.map(({ tokens }) => tokens.length),
      rounds: pieces(decode, textOf),
    };
    this.#rows.push(row);
    if (this.#rows.length > MAX_ROWS) this.#rows.shift();
    if (label.kind !== 'prefetch') this.#last = decode;
    this.tell(row);
    return row;
  }
}

/** The output token by token, starting with the token from prefill; nothing if the tokens are not known. */
function pieces({ tokenIds, rounds }: RecordedDecode, textOf: (token: number) => string): TokenPiece[][] {
  if (tokenIds === null) return [];
  const inRounds = rounds.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const fromPrefill = tokenIds.slice(0, tokenIds.length - inRounds);
  const prefill = fromPrefill.map((token): TokenPiece => ({ text: textOf(token), source: 'prefill' }));
  const roundPieces = ({ tokens, accepted }: Round): TokenPiece[] =>
    tokens.map((token, i) => ({ text: textOf(token), source: i < accepted ? 'draft' : 'target' }));
  return [...(prefill.length > 0 ? [prefill] : []), ...rounds.map(roundPieces)];
}
