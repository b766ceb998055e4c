// Aligns log-probabilities with the text of an output: those of a token are sent once its text is sent, and not at all
// if a stop string cuts all of that text off.
import type { DecodeChunk } from '../engine/decode/decode';
import type { TokenLogprobs } from '../engine/sampling/sampler';
import { Detokenizer, outputBytes } from '../models/text/detokenizer';
import type { Tokenizer } from '../models/text/tokenizer';

/** Log-probabilities of a token. If a stop string begins within the token, `cut` is the part before it. */
export interface SentLogprobs extends TokenLogprobs {
  readonly cut?: { readonly text: string; readonly bytes: Uint8Array } | undefined;
}

/** A token whose text has not been sent completely. Positions are UTF-16 units in the text of all tokens. */
interface WaitingToken {
  readonly logprobs: TokenLogprobs;
  /** Index in the output. */
  readonly index: number;
  readonly bytes: Uint8Array;
  /** Characters that the token completes. */
  readonly text: string;
  /** Position of `text`. */
  readonly start: number;
  /** For each byte, the position of its character. */
  readonly byteStarts: readonly number[];
}

/** Number of tokens to read at the end of the prompt, which can have up to three of a character's four bytes. */
const PROMPT_TAIL_LENGTH = 3;
const NO_BYTES = new Uint8Array();

export class AlignedLogprobs {
  /** Decodes single bytes instead of tokens. */
  readonly #characters: Detokenizer;
  readonly #bytesOf: (token: number) => Uint8Array;
  #waiting: WaitingToken[] = [];
  #count = 0;
  /** Length of the text of all tokens, stop string included. */
  #decoded = 0;
  /** Length of the text sent so far. */
  #sent = 0;

  /**
   * `promptIds` are needed because the prompt can end within a character that the output completes. `endTokenIds` end
   * the output, without text; `spelledTokenIds` are special tokens that it spells out.
   */
  constructor(
    tokenizer: Tokenizer,
    promptIds: readonly number[],
    endTokenIds: readonly number[],
    spelledTokenIds?: readonly number[],
  ) {
    const textBytes = outputBytes(tokenizer, spelledTokenIds);
    const begun = promptIds.slice(-PROMPT_TAIL_LENGTH).flatMap((token) => [...textBytes(token)]);
    this.#characters = new Detokenizer((byte) => Uint8Array.of(byte), begun);
    this.#bytesOf = (token) => (endTokenIds.includes(token) ? NO_BYTES : textBytes(token));
  }

  /** Adds a chunk, whose text is being sent. */
  push({ text, logprobs = [] }: DecodeChunk): void {
    this.#sent += text.length;
    for (const logprob of logprobs) this.#waiting.push(this.#decode(logprob));
  }

  /** Returns the tokens completed since the last call, except for the first `skipped` tokens of the output. */
  take(skipped: number): SentLogprobs[] {
    const waitingFrom = this.#waiting.findIndex((token) => !this.#isSent(token));
    const count = waitingFrom < 0 ? this.#waiting.length : waitingFrom;
    return this.#waiting
      .splice(0, count)
      .filter(({ index }) => index >= skipped)
      .map(({ logprobs }) => logprobs);
  }

  /** Returns the remaining tokens at the end of the output, up to where a stop string cuts them off. */
  takeRest(skipped: number): SentLogprobs[] {
    const isStopped = this.#sent < this.#decoded;
    // Without a stop string, only the bytes of an incomplete last character are left.
    if (!isStopped) this.#sent = Infinity;
    const complete = this.take(skipped);
    const rest = this.#waiting.filter(({ index }) => index >= skipped);
    return [...complete, ...rest.flatMap((token) => this.#cut(token))];
  }

  #decode(logprobs: TokenLogprobs): WaitingToken {
    const bytes = this.#bytesOf(logprobs.token);
    const start = this.#decoded;
    const byteStarts: number[] = [];
    let text = '';
    for (const byte of bytes) {
      byteStarts.push(this.#decoded);
      const character = this.#characters.push(byte);
      this.#decoded += character.length;
      text += character;
    }
    return { logprobs, index: this.#count++, bytes, text, start, byteStarts };
  }

  /** Returns whether all text of a token is sent. Characters are sent whole, so only its last byte needs a check. */
  #isSent({ start, byteStarts }: WaitingToken): boolean {
    const last = byteStarts.at(-1);
    return last === undefined ? start <= this.#sent : last < this.#sent;
  }

  #cut({ logprobs, bytes, text, start, byteStarts }: WaitingToken): SentLogprobs[] {
    const kept = byteStarts.filter((position) => position < this.#sent).length;
    if (kept === 0) return [];
    const cut = { text: text.slice(0, this.#sent - start), bytes: bytes.subarray(0, kept) };
    return [{ ...logprobs, cut }];
  }
}
