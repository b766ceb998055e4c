// Streams the tokens of an output to text. A character whose bytes are spread over several tokens is held back until it
// is complete; at the end of an output, an incomplete character is dropped.
import type { Tokenizer } from './tokenizer';

/** Maximum number of tokens that hold the bytes of an incomplete character. */
const MAX_INCOMPLETE = 3;

export class Detokenizer {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** Latest tokens that have bytes. */
  #last: readonly number[] = [];

  /** `before` are the tokens before the output, which can end within a character; their text is not returned. */
  constructor(
    private readonly bytesOf: (token: number) => Uint8Array,
    before: readonly number[] = [],
  ) {
    for (const token of before.slice(-MAX_INCOMPLETE)) this.push(token);
  }

  /** Takes a token and returns the characters that it completes. */
  push(token: number): string {
    const bytes = this.bytesOf(token);
    if (bytes.length > 0) this.#last = [...this.#last.slice(1 - MAX_INCOMPLETE), token];
    return this.#decoder.decode(bytes, { stream: true });
  }

  /** Returns the characters that these tokens would complete, without taking them. */
  peek(tokens: readonly number[]): string {
    const ahead = new Detokenizer(this.bytesOf, this.#last);
    return tokens.map((token) => ahead.push(token)).join('');
  }
}

/**
 * Returns a function for the bytes that a token adds to the text of an output. A special token adds none, unless its id
 * is in `spelledTokenIds`.
 */
export function outputBytes(
  tokenizer: Pick<Tokenizer, 'bytes'>,
  spelledTokenIds: readonly number[] = [],
): (token: number) => Uint8Array {
  const spelled = new Set(spelledTokenIds);
  return (token) => tokenizer.bytes(token, { skipSpecialTokens: !spelled.has(token) });
}
