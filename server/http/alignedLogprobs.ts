// Aligns log-probabilities with the text of an output: those of a token are sent once its text is, and those of text
// that a stop string cuts off are not sent.
import type { DecodeChunk, DecodeRequest } from '../engine/decode/decode';
import type { TokenLogprobs } from '../engine/sampling/sampler';
import { Detokenizer } from '../models/text/detokenizer';
import { outputBytes } from '../models/text/tokenBytes';
import type { Tokenizer } from '../models/text/tokenizer';

/** Log-probabilities of a token; `cut` is the part of it before a stop string that begins within the token. */
export interface SentLogprobs extends TokenLogprobs {
  readonly cut?: { readonly text: string; readonly bytes: Uint8Array } | undefined;
}

/** A token whose text is not sent, or not all of it. Positions are UTF-16 units in the text of all tokens. */
interface WaitingToken {
  readonly logprobs: TokenLogprobs;
  /** Index in the output. */
  readonly index: number;
  readonly bytes: Uint8Array;
  /** Text of the characters that the token completes. */
  readonly text: string;
  /** Position of this text. */
  readonly start: number;
  /** Position of the character that each of the bytes belongs to. */
  readonly byteStarts: readonly number[];
}

/** A character has at most four bytes, so that at most three can wait for the last. */
const BEGUN = 3;
const NO_BYTES = new Uint8Array();

interface OutputRules extends Pick<DecodeRequest, 'spelledTokenIds'> {
  readonly endTokenIds: readonly number[];
}

export class AlignedLogprobs {
  /** Takes single bytes in place of tokens. */
  readonly #characters: Detokenizer;
  readonly #bytesOf: (token: number) => Uint8Array;
  #waiting: WaitingToken[] = [];
  #count = 0;
  /** Length of the text of all tokens, stop string included. */
  #decoded = 0;
  /** Length of the text that was sent. */
  #sent = 0;

  /** The prompt is needed as it can end within a character, which the output completes. */
  constructor(
    { endTokenIds, spelledTokenIds }: OutputRules,
    tokenizer: Pick<Tokenizer, 'bytes'>,
    promptIds: readonly number[],
  ) {
    const textBytes = outputBytes(tokenizer, spelledTokenIds);
    const begun = promptIds.slice(-BEGUN).flatMap((token) => [...textBytes(token)]);
    this.#characters = new Detokenizer((byte) => Uint8Array.of(byte), begun);
    this.#bytesOf = (token) => (endTokenIds.includes(token) ? NO_BYTES : textBytes(token));
  }

  /** Takes a chunk, whose text is sent with it. */
  push({ text, logprobs = [] }: Pick<DecodeChunk, 'text' | 'logprobs'>): void {
    this.#sent += text.length;
    for (const each of logprobs) this.#waiting.push(this.#decode(each));
  }

  /** Returns the tokens that are complete since the last call, without the first `skipped` of the output. */
  take(skipped: number): SentLogprobs[] {
    const waitingFrom = this.#waiting.findIndex((token) => !this.#isSent(token));
    const count = waitingFrom < 0 ? this.#waiting.length : waitingFrom;
    return this.#waiting
      .splice(0, count)
      .filter(({ index }) => index >= skipped)
      .map(({ logprobs }) => logprobs);
  }

  /** Returns the remaining tokens at the end of the output, as far as no stop string cuts them off. */
  takeRest(skipped: number): SentLogprobs[] {
    const isStopped = this.#sent < this.#decoded;
    // Without a stop string, only a character that the output does not complete is left.
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

  /** A character is sent as a whole, so that a token is complete once its last one has begun to be. */
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
