// Decides where an output ends: at an end token, at the token limit, or at a stop string in the text. Told of
// every token in order; says how many of a round stay (speculative-decoding.md D.5), and how many of a draft could.
import type { Tokenizer } from '../models/tokenizer';
import { Detokenizer } from './detokenizer';
import { RepetitionGuard } from './repetitionGuard';
import type { FinishReason } from './stats';

export interface EndingRules {
  readonly maxTokens: number;
  /** They end the output, and their text is no part of it, whatever the vocabulary says. */
  readonly endTokenIds: readonly number[];
  readonly stopStrings: readonly string[];
  /** As in DecodeOptions. */
  readonly isComplete?: ((text: string) => boolean) | undefined;
  /** Ends an output that goes round in circles. */
  readonly repetitionGuard?: boolean | undefined;
}

export interface Cut {
  /** Tokens that stay, at least one. */
  readonly tokens: readonly number[];
  /** Text that is certain now; text that may turn into a stop string is held back. */
  readonly text: string;
  readonly finishReason: FinishReason | undefined;
}

/** What an end token says. */
const NOTHING = { text: '', stopped: false };

export class Ending {
  readonly #detokenizer: Detokenizer | undefined;
  readonly #guard: RepetitionGuard | undefined;
  #emitted = 0;
  #text = '';
  /** Decoded but not given out: a stop string may have begun in it. */
  #held = '';

  constructor(
    private readonly rules: EndingRules,
    tokenizer: Tokenizer | undefined,
  ) {
    this.#detokenizer = tokenizer && new Detokenizer(tokenizer);
    this.#guard = rules.repetitionGuard ? new RepetitionGuard() : undefined;
  }

  /** All text that was given out. */
  get text(): string {
    return this.#text;
  }

  /** Tokens that may still be emitted. */
  get remaining(): number {
    return this.rules.maxTokens - this.#emitted;
  }

  /**
   * How many of these drafts are worth verifying: those before the first that would end the output, which the target
   * gives by itself if they are right.
   */
  wanted(drafts: readonly number[]): number {
    const end = drafts.findIndex((token) => this.rules.endTokenIds.includes(token));
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

  /** Whether the text of these drafts would end the output. What has ended so ends with more drafts too. */
  #endsWithin(drafts: readonly number[]): boolean {
    const { stopStrings, isComplete } = this.rules;
    if (stopStrings.length === 0 && isComplete === undefined) return false;
    const text = this.#held + (this.#detokenizer?.peek(drafts) ?? '');
    return stopStrings.some((stop) => text.includes(stop)) || (isComplete?.(this.#text + text) ?? false);
  }

  /** Cuts the tokens of one round after the first that ends the output. */
  cut(candidates: readonly number[]): Cut {
    const cut = this.#cut(candidates);
    this.#text += cut.text;
    return cut;
  }

  #cut(candidates: readonly number[]): Cut {
    let text = '';
    for (const [i, token] of candidates.entries()) {
      this.#emitted += 1;
      const isEnd = this.rules.endTokenIds.includes(token);
      const piece = isEnd ? NOTHING : this.#take(token);
      text += piece.text;
      const circles = this.#guard?.push(token) ?? false;
      const finishReason = piece.stopped || isEnd ? 'stop' : circles ? 'repetition' : this.#limit();
      if (finishReason)
        return { tokens: candidates.slice(0, i + 1), text: text + this.#rest(piece.stopped), finishReason };
    }
    return { tokens: candidates, text, finishReason: undefined };
  }

  /** Text held back when the output is broken off from outside. */
  flush(): string {
    const rest = this.#rest(false);
    this.#text += rest;
    return rest;
  }

  #limit(): FinishReason | undefined {
    return this.remaining <= 0 ? 'length' : undefined;
  }

  #take(token: number): { readonly text: string; readonly stopped: boolean } {
    this.#held += this.#detokenizer?.push(token) ?? '';
    const found = this.rules.stopStrings.map((stop) => this.#held.indexOf(stop)).filter((at) => at >= 0);
    if (found.length > 0) return { text: this.#held.slice(0, Math.min(...found)), stopped: true };
    const certain = this.#held.length - unfinishedStop(this.#held, this.rules.stopStrings);
    const text = this.#held.slice(0, certain);
    this.#held = this.#held.slice(certain);
    return { text, stopped: false };
  }

  #rest(stopped: boolean): string {
    const text = stopped ? '' : this.#held + (this.#detokenizer?.flush() ?? '');
    this.#held = '';
    return text;
  }
}

/** Length of the longest end of `text` that is a proper beginning of a stop string. */
function unfinishedStop(text: string, stops: readonly string[]): number {
  const longest = Math.max(0, ...stops.map((stop) => stop.length - 1));
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (stops.some((stop) => stop.startsWith(end))) return length;
  }
  return 0;
}
