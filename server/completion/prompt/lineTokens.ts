// The token ids of a document, to look for repetitions in it. Each line is encoded once, so that a key press costs one
// line. At line boundaries the ids may differ from those of the whole text, which only hides a match.

import { withinTime } from '../../machine/withinTime';
import type { Tokenizer } from '../decoder';

type LineEncoder = Pick<Tokenizer, 'encodeText'>;

/** Lines remembered over all documents. */
const KEPT_LINES = 8_192;
/** For all lines of a document at once, as a limit for each would take as long as the line; that of one text. */
const LIMIT_MS = 30_000;

export class LineTokens {
  /** Least recently used first. */
  readonly #lines = new Map<string, readonly number[]>();

  /** The ids of whole lines; the last line may be incomplete and is left out. */
  encode(text: string, encoder: LineEncoder): number[] {
    const end = text.lastIndexOf('\n') + 1;
    const lines = text.slice(0, end).match(/[^\n]*\n/g) ?? [];
    const encode = () => lines.flatMap((line) => this.#line(line, encoder));
    const isKnown = lines.every((line) => this.#lines.has(line));
    const ids = isKnown ? encode() : withinTime(LIMIT_MS, 'the tokenizer', encode);
    for (const line of this.#lines.keys()) {
      if (this.#lines.size <= KEPT_LINES) break;
      this.#lines.delete(line);
    }
    return ids;
  }

  #line(line: string, encoder: LineEncoder): readonly number[] {
    const ids = this.#lines.get(line) ?? encoder.encodeText(line);
    this.#lines.delete(line);
    this.#lines.set(line, ids);
    return ids;
  }
}
