// Decides where an output ends: at an end token, at the token limit, or at a stop string in the text. Takes every token
// in order; returns how many of a round stay, and how many of a draft could.
import type { Tokenizer } from '../models/text/tokenizer';
import { StopStrings } from '../rules/stopStrings';
import type { DecodeChunk, DecodeRequest } from './decode/decode';
import { Detokenizer } from '../models/text/tokenBytes';
import type { FinishReason } from './request/stats';

/** The part of a request that determines where its output ends. */
type StopRules = Pick<
  DecodeRequest,
  'maxTokens' | 'stopStrings' | 'stopTokenIds' | 'spelledTokenIds' | 'isComplete' | 'repetitionGuard'
>;

/** What an end token says. */
const NOTHING = { text: '', stopped: false };

export class StopCriteria {
  readonly #detokenizer: Detokenizer | undefined;
  readonly #guard: RepetitionGuard | undefined;
  readonly #stopStrings: StopStrings;
  /** They end the output, and their text is not part of it, whatever the vocabulary says. */
  readonly #endTokenIds: readonly number[];
  #finishReason: FinishReason | undefined;
  #emitted = 0;
  #text = '';
  /** Decoded but not emitted: a stop string may have begun in it. */
  #held = '';

  /** `eosTokenIds` are the target's own end tokens. A prompt may end inside a character, which the output completes. */
  constructor(
    private readonly rules: StopRules,
    eosTokenIds: readonly number[],
    tokenizer: Tokenizer | undefined,
    promptIds: readonly number[] = [],
  ) {
    const spelled = new Set(rules.spelledTokenIds);
    this.#detokenizer =
      tokenizer &&
      new Detokenizer(
        (token) => tokenizer.bytes(token, spelled.has(token) ? undefined : 'left out'),
        promptIds,
      );
    this.#guard = rules.repetitionGuard ? new RepetitionGuard() : undefined;
    this.#stopStrings = new StopStrings(rules.stopStrings ?? []);
    this.#endTokenIds = [...eosTokenIds, ...(rules.stopTokenIds ?? [])];
  }

  /** Undefined until the output is complete. */
  get finishReason(): FinishReason | undefined {
    return this.#finishReason;
  }

  /** All text that was emitted. */
  get text(): string {
    return this.#text;
  }

  /** Tokens that may still be emitted. */
  get remaining(): number {
    return this.rules.maxTokens - this.#emitted;
  }

  /**
   * How many of these drafts are worth verifying: those before the first that would end the output, which the target
   * yields on its own if they are right.
   */
  truncate(drafts: readonly number[]): number {
    const end = drafts.findIndex((token) => this.#endTokenIds.includes(token));
    const most = end < 0 ? drafts.length : end;
    if (most === 0 || !this.#endsWithin(drafts.slice(0, most))) return most;
    let [open, ended] = [0, most];
    while (ended - open > 1) {
      const middle = (open + ended) >> 1;
      if (this.#endsWithin(drafts.slice(0, middle))) ended = middle;
      else open = middle;
    }
    return open;
  }

  /** Whether the text of these drafts would end the output. If it does, it does with more drafts too. */
  #endsWithin(drafts: readonly number[]): boolean {
    const { isComplete } = this.rules;
    if (this.#stopStrings.isEmpty && isComplete === undefined) return false;
    const text = this.#held + (this.#detokenizer?.peek(drafts) ?? '');
    return this.#stopStrings.find(text) !== undefined || (isComplete?.(this.#text + text) ?? false);
  }

  /**
   * Takes the next tokens, up to the first that ends the output: at least one. Their text is what is certain now; what
   * may turn into a stop string is held back.
   */
  append(tokens: readonly number[]): Pick<DecodeChunk, 'tokens' | 'text'> {
    let [text, taken] = ['', 0];
    while (this.#finishReason === undefined && taken < tokens.length) {
      text += this.#push(tokens[taken] ?? 0);
      taken += 1;
    }
    this.#text += text;
    return { tokens: tokens.slice(0, taken), text };
  }

  /** Returns the text that is certain with this token. */
  #push(token: number): string {
    this.#emitted += 1;
    const isEnd = this.#endTokenIds.includes(token);
    const { text, stopped } = isEnd ? NOTHING : this.#decode(token);
    const repeats = this.#guard?.push(token) ?? false;
    const isFull = this.remaining <= 0 ? 'length' : undefined;
    this.#finishReason = stopped || isEnd ? 'stop' : repeats ? 'repetition' : isFull;
    if (this.#finishReason === undefined) return text;
    return stopped ? text : text + this.#rest();
  }

  /** Text still held back when the output is ended from outside. */
  flush(): string {
    const rest = this.#rest();
    this.#text += rest;
    return rest;
  }

  #decode(token: number): { readonly text: string; readonly stopped: boolean } {
    this.#held += this.#detokenizer?.push(token) ?? '';
    const found = this.#stopStrings.find(this.#held);
    const stopped = found !== undefined;
    const certain = this.#held.length - this.#stopStrings.unfinished(this.#held);
    const text = this.#held.slice(0, found ?? certain);
    this.#held = stopped ? '' : this.#held.slice(certain);
    return { text, stopped };
  }

  #rest(): string {
    const text = this.#held;
    this.#held = '';
    return text;
  }
}

/** Tokens of the longest piece whose repetition is noticed. */
const LONGEST = 24;
/** How often a piece is repeated, and how many tokens that takes in total: less may be a table or a row of dashes. */
const TIMES = 4;
const LEAST = 32;

/**
 * Notices that an output repeats itself: its last tokens are one piece over and over. Takes every token in order, so
 * that it ends an output at the same token wherever rounds begin.
 */
export class RepetitionGuard {
  readonly #last: number[] = [];
  /** Entry n counts the latest tokens that equal the one n + 1 places before them. */
  readonly #runs = Array<number>(LONGEST).fill(0);

  /** Whether `token` completes the last repetition that is allowed. */
  push(token: number): boolean {
    let repeats = false;
    for (const [i, run] of this.#runs.entries()) {
      const period = i + 1;
      const next = this.#last.at(-period) === token ? run + 1 : 0;
      this.#runs[i] = next;
      repeats ||= next + period >= Math.max(LEAST, TIMES * period);
    }
    this.#last.push(token);
    if (this.#last.length > LONGEST) this.#last.shift();
    return repeats;
  }
}
