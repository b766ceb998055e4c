// The beginning of an output that repeats what was removed before the cursor, taken off piece by piece.
import { agree } from '../completion/text/healing';
import type { DecodeChunk } from '../engine/decode/decode';

type Piece = Pick<DecodeChunk, 'text' | 'tokens' | 'logprobs'>;

export class RemovedText {
  /** What the output has yet to begin with. */
  missing: string;
  /** Tokens that were left out. The one that spans the cursor stays. */
  skipped = 0;
  /** Characters of `removed` whose tokens have yet to come. */
  #untold: number;

  constructor(
    removed: string,
    private readonly lengthOf: (token: number) => number,
  ) {
    this.missing = removed;
    this.#untold = removed.length;
  }

  /** What stands after the cursor; undefined if the output goes another way. */
  without(piece: Piece): Piece | undefined {
    if (this.missing === '' && this.#untold === 0) return piece;
    const { text, tokens, logprobs } = piece;
    if (!agree(text, this.missing)) return undefined;
    const shared = Math.min(text.length, this.missing.length);
    this.missing = this.missing.slice(shared);
    let out = 0;
    for (const token of tokens) {
      const length = this.lengthOf(token);
      if (this.#untold === 0 || length > this.#untold) break;
      this.#untold -= length;
      out += 1;
    }
    if (out < tokens.length) this.#untold = 0;
    this.skipped += out;
    return {
      text: text.slice(shared),
      tokens: tokens.slice(out),
      ...(logprobs && { logprobs: logprobs.slice(out) }),
    };
  }
}
