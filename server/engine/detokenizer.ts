// Tokens to text, piece by piece. A character whose bytes are spread over tokens is held back until it is whole.
import type { Tokenizer } from '../models/tokenizer';

/** What the bytes of an incomplete character are decoded to. */
const INCOMPLETE = /\uFFFD+$/;

export class Detokenizer {
  readonly #tokens: number[] = [];
  /** Tokens before `#start` are final; from there the window is decoded again with each token. */
  #start = 0;
  /** Tokens of the window whose text has been emitted. */
  #given = 0;
  /** Characters of the window emitted beyond those tokens: they came before an incomplete character. */
  #ahead = 0;

  constructor(private readonly tokenizer: Pick<Tokenizer, 'decode'>) {}

  /** The text that `token` completes, without an incomplete character at its end. */
  push(token: number): string {
    this.#tokens.push(token);
    const text = this.#pendingText();
    const whole = text.replace(INCOMPLETE, '');
    const piece = whole.slice(this.#ahead);
    // A window without text would be a start of text, where some tokenizers drop a space.
    if (whole === text && text !== '') this.#advance();
    else this.#ahead = whole.length;
    return piece;
  }

  /** The text that these tokens would complete; they are not taken. */
  peek(tokens: readonly number[]): string {
    return this.#pendingText(tokens).replace(INCOMPLETE, '').slice(this.#ahead);
  }

  /** What is held back, incomplete characters included. Call once, at the end. */
  flush(): string {
    const text = this.#pendingText().slice(this.#ahead);
    this.#advance();
    return text;
  }

  /** Decoded with the tokens before it, as some tokenizers drop a leading space at the start of a text. */
  #pendingText(further: readonly number[] = []): string {
    const before = this.tokenizer.decode(this.#tokens.slice(this.#start, this.#given));
    const all = this.tokenizer.decode([...this.#tokens.slice(this.#start), ...further]);
    return all.slice(before.length);
  }

  #advance(): void {
    this.#start = this.#given;
    this.#given = this.#tokens.length;
    this.#ahead = 0;
  }
}
