// Decides where an output ends: at an end token, at the token limit, at a stop string in its text, or when it repeats
// itself. It must be given every token of the output, in order.
import type { Tokenizer } from '../models/text/tokenizer';
import { StopStrings } from '../rules/stopStrings';
import type { DecodeChunk, DecodeRequest } from './decode/decode';
import { Detokenizer, outputBytes } from '../models/text/detokenizer';
import { RepetitionGuard } from './repetitionGuard';
import type { FinishReason } from './request/stats';

/** Result of decoding an end token, which has no text. */
const NO_TEXT = { text: '', isStopped: false };

export class StopCriteria {
  readonly #detokenizer: Detokenizer | undefined;
  readonly #guard: RepetitionGuard | undefined;
  readonly #stopStrings: StopStrings;
  /** Tokens that end the output. Their text is never part of it, even if they are ordinary tokens. */
  readonly #endTokenIds: readonly number[];
  #finishReason: FinishReason | undefined;
  #emitted = 0;
  #text = '';
  /** Text that is decoded but not emitted, as it could be the beginning of a stop string. */
  #held = '';

  /**
   * `eosTokenIds` are the target's own end tokens. The prompt is needed as it can end within a character, which the
   * output completes.
   */
  constructor(
    private readonly request: DecodeRequest,
    eosTokenIds: readonly number[],
    tokenizer: Tokenizer | undefined,
    promptIds: readonly number[] = [],
  ) {
    this.#detokenizer =
      tokenizer && new Detokenizer(outputBytes(tokenizer, request.spelledTokenIds), promptIds);
    this.#guard = request.repetitionGuard ? new RepetitionGuard() : undefined;
    this.#stopStrings = new StopStrings(request.stopStrings ?? []);
    this.#endTokenIds = [...eosTokenIds, ...(request.stopTokenIds ?? [])];
  }

  /** Reason of the end; undefined until the output is complete. */
  get finishReason(): FinishReason | undefined {
    return this.#finishReason;
  }

  /** All emitted text. */
  get text(): string {
    return this.#text;
  }

  /** Tokens left before the limit. */
  get remaining(): number {
    return this.request.maxTokens - this.#emitted;
  }

  /**
   * Returns how many of these drafts are worth verifying: those before the first that would end the output by an end
   * token, a stop string or a complete text. If they are right, the target emits the token that ends it anyway.
   */
  countUseful(drafts: readonly number[]): number {
    const firstEnd = drafts.findIndex((token) => this.#endTokenIds.includes(token));
    const count = firstEnd < 0 ? drafts.length : firstEnd;
    if (count === 0 || !this.#endsWithin(drafts.slice(0, count))) return count;
    // Once a text ends the output, so does every continuation: a binary search finds the first.
    let open = 0;
    let ended = count;
    while (ended - open > 1) {
      const middle = (open + ended) >> 1;
      if (this.#endsWithin(drafts.slice(0, middle))) ended = middle;
      else open = middle;
    }
    return open;
  }

  /** Returns whether the text of these drafts would end the output. */
  #endsWithin(drafts: readonly number[]): boolean {
    const { isComplete } = this.request;
    if (this.#stopStrings.isEmpty && isComplete === undefined) return false;
    const text = this.#held + (this.#detokenizer?.peek(drafts) ?? '');
    return this.#stopStrings.find(text) !== undefined || (isComplete?.(this.#text + text) ?? false);
  }

  /**
   * Takes the next tokens, up to the first that ends the output, and returns at least one. Text that could turn into a
   * stop string is held back.
   */
  append(tokens: readonly number[]): DecodeChunk {
    let text = '';
    let taken = 0;
    while (this.#finishReason === undefined && taken < tokens.length) {
      text += this.#push(tokens[taken] ?? 0);
      taken += 1;
    }
    this.#text += text;
    return { tokens: tokens.slice(0, taken), text };
  }

  /** Takes one token and returns the text that becomes certain. */
  #push(token: number): string {
    this.#emitted += 1;
    const isEnd = this.#endTokenIds.includes(token);
    const { text, isStopped } = isEnd ? NO_TEXT : this.#decode(token);
    const isRepeated = this.#guard?.push(token) ?? false;
    if (isStopped || isEnd) this.#finishReason = 'stop';
    else if (isRepeated) this.#finishReason = 'repetition';
    else if (this.remaining <= 0) this.#finishReason = 'length';
    if (this.#finishReason === undefined) return text;
    return isStopped ? text : text + this.#takeHeld();
  }

  /** Returns the text still held back, after the consumer or a signal has ended the output. */
  flush(): string {
    const text = this.#takeHeld();
    this.#text += text;
    return text;
  }

  #decode(token: number): { readonly text: string; readonly isStopped: boolean } {
    this.#held += this.#detokenizer?.push(token) ?? '';
    const stopIndex = this.#stopStrings.find(this.#held);
    const isStopped = stopIndex !== undefined;
    const certainLength = this.#held.length - this.#stopStrings.unfinished(this.#held);
    const text = this.#held.slice(0, stopIndex ?? certainLength);
    this.#held = isStopped ? '' : this.#held.slice(certainLength);
    return { text, isStopped };
  }

  #takeHeld(): string {
    const text = this.#held;
    this.#held = '';
    return text;
  }
}
