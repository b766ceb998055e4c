// Tokens to text, piece by piece. A character whose bytes are spread over tokens is held back until it is whole.
import type { Tokenizer } from '../models/tokenizer';

const INCOMPLETE = '\uFFFD';

export class Detokenizer {
  readonly #tokens: number[] = [];
  /** Tokens before `#start` are final; from there the window is decoded again with each token. */
  #start = 0;
  /** Tokens of the window whose text has been given out. */
  #given = 0;

  constructor(private readonly tokenizer: Tokenizer) {}

  /** The text that `token` completes; empty while a character is incomplete. */
  push(token: number): string {
    this.#tokens.push(token);
    const text = this.#pendingText();
    if (text.endsWith(INCOMPLETE)) return '';
    this.#advance();
    return text;
  }

  /** What is held back, incomplete characters included. Call once, at the end. */
  flush(): string {
    const text = this.#pendingText();
    this.#advance();
    return text;
  }

  /** Decoded with the tokens before it, as some tokenizers drop a leading space at the start of a text. */
  #pendingText(): string {
    const before = this.tokenizer.decode(this.#tokens.slice(this.#start, this.#given));
    const all = this.tokenizer.decode(this.#tokens.slice(this.#start));
    return all.slice(before.length);
  }

  #advance(): void {
    this.#start = this.#given;
    this.#given = this.#tokens.length;
  }
}
