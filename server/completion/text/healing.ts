// A prompt that ends inside a token asks for something the model has never seen: the token after `const ` begins with
// the space. So the prompt ends before it, and the output must begin with what was removed. If it does not, the prompt
// that ends at the cursor is decoded instead.
import type { DecodeLimits, Decoder, FinishReason, TokenChance, Tokenizer } from '../decoder';
import { ENDS_IN_NAME } from './language';
import { completionPrompt, type PromptParts } from '../prompt/prompt';

export interface Healing {
  /** What the prompt keeps of the text before the cursor. */
  readonly kept: string;
  /** What the output must begin with. */
  readonly removed: string;
}

/** Tokens rarely span a line end, so this much of the line tells how it is split into tokens. */
const TAIL = 160;
const MOST_REMOVED = 24;
/** What may follow: the end of a word or, after white space, the start of one. Chosen to merge with most tokens. */
const AFTER_WORD = ['s', 'e', 'er', 't', 'ion', 'a', '_'];
const AFTER_SPACE = ['return', 'x', 'const', 'self', '='];
/** And what may follow a name that is complete. */
const AFTER_NAME = ['(', '.', ' ', ')', ',', ';', ':', '='];
/** Pre-tokenizers join one mark with the letters after it: `.push`, `(next`. */
const AFTER_MARK = ['get', 'self', 'name', 'x'];

/** Undefined if every plausible continuation leaves the last tokens unchanged; `isComplete` is a name at the end. */
export function healing(
  prefix: string,
  tokenizer: Pick<Tokenizer, 'encodeText' | 'decode'>,
  isComplete = false,
): Healing | undefined {
  const tail = prefix.slice(Math.max(prefix.lastIndexOf('\n') + 1, prefix.length - TAIL));
  if (tail === '') return undefined;
  const [first = [], ...others] = probesAfter(tail, isComplete).map((probe) =>
    tokenizer.encodeText(tail + probe),
  );
  const kept = others.reduce<readonly number[]>(commonPrefix, first);
  const text = tokenizer.decode(kept);
  const removed = tail.slice(text.length);
  // A token may end inside a character; then its text is not the start of the line.
  if (!tail.startsWith(text) || removed === '' || removed.length > MOST_REMOVED) return undefined;
  return { kept: prefix.slice(0, prefix.length - removed.length), removed };
}

function probesAfter(tail: string, isComplete: boolean): readonly string[] {
  if (/[ \t]$/.test(tail)) return AFTER_SPACE;
  if (!ENDS_IN_NAME.test(tail)) return AFTER_MARK;
  return isComplete ? AFTER_NAME : AFTER_WORD;
}

function commonPrefix(a: readonly number[], b: readonly number[]): readonly number[] {
  const different = a.findIndex((token, i) => token !== b[i]);
  return different < 0 ? a : a.slice(0, different);
}

/** `isComplete` is about the text after the cursor. */
export type HealedRequest = Omit<PromptParts, 'prefix'> &
  Omit<DecodeLimits, 'stopStrings' | 'stopTokenIds' | 'sampling' | 'parts' | 'onEnd'>;

/** The output after the cursor, piece by piece. */
export class HealedOutput {
  /** The prompts to decode, in this order. */
  #healings: readonly Healing[];
  /** Of the last prompt. */
  #chances: TokenChance[] = [];
  #removed = 0;
  /** Why the last output has ended. */
  finishReason: FinishReason | undefined;

  constructor(
    private readonly request: HealedRequest,
    private readonly decoder: Decoder,
  ) {
    const { prefix, selected } = request.context;
    const healed = healing(prefix, decoder.tokenizer, selected !== undefined);
    const whole = { kept: prefix, removed: '' };
    this.#healings = healed ? [healed, whole] : [whole];
  }

  /** The log-probabilities of the tokens that the first `length` characters after the cursor are made of. */
  logprobs(length: number): readonly number[] {
    let start = -this.#removed;
    return this.#chances.flatMap(({ length: own, logprob }) => {
      const isIn = start < length && start + own > 0;
      start += own;
      return isIn ? [logprob] : [];
    });
  }

  /** The most probable output, or a drawn one. Later ones use the prompt that led to the first. */
  async *pieces(sampling?: DecodeLimits['sampling']): AsyncGenerator<string, void, undefined> {
    for (const each of this.#healings) {
      if (this.request.signal.aborted) return;
      if (yield* this.#continued(each, sampling)) return;
    }
  }

  /** Emits what follows `removed`; returns false, with nothing emitted, if the output does not begin with it. */
  async *#continued(
    healed: Healing,
    sampling: DecodeLimits['sampling'],
  ): AsyncGenerator<string, boolean, undefined> {
    const { context, snippets, budget, isComplete, ...limits } = this.request;
    const prompt = completionPrompt({ context, prefix: healed.kept, snippets, budget }, this.decoder);
    if (prompt === undefined) return false;
    const { ids, parts, stopStrings, stopTokenIds } = prompt;
    let missing = healed.removed;
    this.#chances = [];
    this.#removed = missing.length;
    const options = {
      ...limits,
      parts,
      stopStrings,
      stopTokenIds,
      onEnd: (reason: FinishReason) => {
        this.finishReason = reason;
      },
      ...(sampling && { sampling }),
      // If the output does not repeat what was removed, nobody reads on either.
      ...(isComplete && {
        isComplete: (output: string) =>
          !agree(output, healed.removed) || isComplete(output.slice(healed.removed.length)),
      }),
    };
    for await (const { text, chances = [] } of this.decoder.decode(ids, options)) {
      this.#chances.push(...chances);
      const shared = Math.min(text.length, missing.length);
      if (!agree(text, missing)) return false;
      missing = missing.slice(shared);
      if (missing === '') this.#healings = [healed];
      if (text.length > shared) yield text.slice(shared);
    }
    return missing === '';
  }
}

/** Whether one of the texts begins with the other. */
export function agree(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}
