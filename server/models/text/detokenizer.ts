// Tokens to text, piece by piece. A character whose bytes are spread over tokens is held back until it is whole; at the
// end of an output, one that never became whole is left out.

/** At most this many tokens hold the bytes of a character that is not whole yet. */
const BEGUN = 3;

export class Detokenizer {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The last ones that have bytes. */
  #last: readonly number[] = [];

  /** The text of the tokens `before` is not part of any piece. */
  constructor(
    private readonly bytesOf: (token: number) => Uint8Array,
    before: readonly number[] = [],
  ) {
    for (const token of before.slice(-BEGUN)) this.push(token);
  }

  /** The text of the characters that `token` completes. */
  push(token: number): string {
    const bytes = this.bytesOf(token);
    if (bytes.length > 0) this.#last = [...this.#last.slice(1 - BEGUN), token];
    return this.#decoder.decode(bytes, { stream: true });
  }

  /** The text that these tokens would complete; they are not taken. */
  peek(tokens: readonly number[]): string {
    const ahead = new Detokenizer(this.bytesOf, this.#last);
    return tokens.map((token) => ahead.push(token)).join('');
  }
}
