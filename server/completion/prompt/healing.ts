// A prompt that ends inside a token asks for something the model has never seen: the token after `const ` begins with
// the space. So the prompt ends before it, and the output must begin with what was removed. If it does not, the prompt
// that ends at the cursor is decoded instead.
import type { DecodeChunk } from '../../engine/decode/decode';
import type { DecodeLimits, Decoder, FinishReason, TokenLogprobs, Tokenizer } from '../decoder';
import { ENDS_IN_NAME, continuesName } from '../syntax/language';
import type { CompletionContext } from './context';
import { completionPrompt, type PromptParts } from './prompt';

export interface Healing {
  /** What the prompt keeps of the text before the cursor. */
  readonly kept: string;
  /** What the output must begin with. */
  readonly removed: string;
  /** And then with what a selected entry adds to what is typed. */
  readonly entry?: string;
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

type Spelling = Pick<Tokenizer, 'encodeText' | 'decode'>;

/** Undefined if every plausible continuation leaves the last tokens unchanged; `isComplete` is a name at the end. */
export function healing(prefix: string, tokenizer: Spelling, isComplete = false): Healing | undefined {
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

/** In the order in which they are tried. With `judgesEntry`, the model has to write what a selected entry adds. */
function healings(
  { prefix, selected }: CompletionContext,
  tokenizer: Spelling,
  judgesEntry: boolean,
): Healing[] {
  const entry = judgesEntry && selected?.behind === '' ? selected.text.slice(selected.before.length) : '';
  const kept = prefix.slice(0, prefix.length - entry.length);
  const healed = healing(kept, tokenizer, selected !== undefined && entry === '');
  return [...(healed ? [healed] : []), { kept, removed: '' }].map((each) => ({ ...each, entry }));
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
  /** Of the tokens after the last prompt. */
  #logprobs: TokenLogprobs[] = [];
  #removed = 0;
  /** Why the last output has ended. */
  finishReason: FinishReason | undefined;
  /** Whether there was none, as the model would write something else than the selected entry. */
  isOtherEntry = false;

  /** With `judgesEntry`, nothing follows a selected entry that the model would not have begun with. */
  constructor(
    private readonly request: HealedRequest,
    private readonly decoder: Decoder,
    judgesEntry = false,
  ) {
    this.#healings = healings(request.context, decoder.tokenizer, judgesEntry);
  }

  /** The log-probabilities of the tokens that the first `length` characters after the cursor are made of. */
  logprobs(length: number): readonly number[] {
    let start = -this.#removed;
    return this.#logprobs.flatMap(({ token, logprob }) => {
      const own = this.decoder.tokenizer.decode([token]).length;
      const isIn = start < length && start + own > 0;
      start += own;
      return isIn ? [logprob] : [];
    });
  }

  /** The most probable output, or a drawn one. Later ones use the prompt that led to the first. */
  async *pieces(sampling?: DecodeLimits['sampling']): AsyncGenerator<string, void, undefined> {
    for (const each of this.#healings) {
      if (this.request.signal.aborted) return;
      if ((yield* this.#continued(each, sampling)) || this.isOtherEntry) return;
    }
  }

  /**
   * Emits the output after `removed` and the entry. Returns false, with nothing emitted, if the output begins otherwise or
   * has nothing more: after `split(` before `)`, a model can end a prompt without the bracket where it fills one
   * with it.
   */
  async *#continued(
    healed: Healing,
    sampling: DecodeLimits['sampling'],
  ): AsyncGenerator<string, boolean, undefined> {
    const { entry = '' } = healed;
    const { context, snippets, budget, ...limits } = this.request;
    const prompt = completionPrompt({ context, prefix: healed.kept, snippets, budget }, this.decoder);
    if (prompt === undefined) return false;
    const { ids, parts, stopStrings, stopTokenIds } = prompt;
    const removed = healed.removed + entry;
    this.#logprobs = [];
    this.#removed = removed.length;
    const options = {
      ...limits,
      ...healedLimits(limits, removed),
      parts,
      stopStrings,
      stopTokenIds,
      onEnd: (reason: FinishReason) => {
        this.finishReason = reason;
      },
      ...(sampling && { sampling }),
    };
    const heal = new RemovedText(removed);
    let output = '';
    let isEntryAlone = entry !== '';
    let isBegun = false;
    for await (const { text, logprobs = [] } of this.decoder.decode(ids, options)) {
      this.#logprobs.push(...logprobs);
      output += text;
      const rest = heal.without({ text, tokens: null });
      if (rest === undefined) {
        this.isOtherEntry = output.startsWith(healed.removed);
        return false;
      }
      if (rest.text === '') continue;
      this.#healings = [healed];
      isEntryAlone = false;
      isBegun = true;
      yield rest.text;
    }
    // The list has the entry; only what follows it is worth showing.
    if (isEntryAlone && heal.missing === '')
      return yield* this.#continued({ kept: context.prefix, removed: '' }, sampling);
    return isBegun;
  }
}

/** A prompt that leaves out the last characters before the cursor: its output must begin with them. */
export interface HealedPrompt {
  readonly ids: readonly number[];
  readonly removed: string;
}

/** With room for what was removed, if `spelling` tells how much that takes. */
export function healedLimits(
  { maxTokens, isComplete }: Pick<DecodeLimits, 'maxTokens' | 'isComplete'>,
  removed: string,
  spelling?: Spelling,
) {
  if (removed === '') return { maxTokens, isComplete };
  const again = spelling?.encodeText(removed).length ?? 0;
  // If the output does not repeat what was removed, nobody reads on either.
  const isOver = (output: string): boolean =>
    !agree(output, removed) || (isComplete?.(output.slice(removed.length)) ?? false);
  return { maxTokens: maxTokens + again, isComplete: isOver };
}

/** The beginning of an output that repeats what was removed before the cursor, taken off piece by piece. */
export class RemovedText {
  /** What the output has yet to begin with. */
  missing: string;
  /** Tokens that were left out. The one that spans the cursor stays. */
  skipped = 0;
  /** Characters of `removed` whose tokens have yet to come. */
  #untold: number;

  constructor(
    removed: string,
    private readonly spelling?: Spelling,
  ) {
    this.missing = removed;
    this.#untold = removed.length;
  }

  /** What stands after the cursor; undefined if the output goes another way. */
  without<Piece extends Pick<DecodeChunk<null>, 'text' | 'tokens' | 'logprobs'>>(
    piece: Piece,
  ): Piece | undefined {
    if (this.missing === '' && this.#untold === 0) return piece;
    const { text, tokens, logprobs } = piece;
    if (!agree(text, this.missing)) return undefined;
    const shared = Math.min(text.length, this.missing.length);
    this.missing = this.missing.slice(shared);
    const out = this.#tokensOf(tokens ?? []);
    this.skipped += out;
    const rest = { text: text.slice(shared), tokens: tokens?.slice(out) ?? null };
    return { ...piece, ...rest, ...(logprobs && { logprobs: logprobs.slice(out) }) };
  }

  /** How many tokens have nothing but what was removed. */
  #tokensOf(tokens: readonly number[]): number {
    let out = 0;
    for (const token of tokens) {
      const { length } = this.spelling?.decode([token]) ?? '';
      if (this.#untold === 0 || length > this.#untold) break;
      this.#untold -= length;
      out += 1;
    }
    if (out < tokens.length) this.#untold = 0;
    return out;
  }
}

/** Whether one of the texts begins with the other. */
function agree(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}

// The selected entry of the IntelliSense list, which a suggestion begins with: whether VS Code shows anything beside it,
// and what may follow it.

/** A selected entry is a whole name: nothing follows it that makes it a longer one. */
export function entryIsComplete(text: string, { selected, languageId }: CompletionContext): string {
  const isInName = ENDS_IN_NAME.test(selected?.text ?? '') && continuesName(text, languageId);
  return isInName ? '' : text;
}

/** Prepends the selected entry, as both replace the same range. */
export function withEntry(text: string, { selected }: CompletionContext): string {
  return selected === undefined || text === '' ? text : selected.text + text;
}

/**
 * Whether VS Code shows ghost text that begins with the selected entry: it may only add to what the document has, so
 * that another case, or a dot that becomes `?.`, hides it. The cursor goes into an entry of several lines, a snippet.
 */
export function isEntryVisible({ selected }: CompletionContext): boolean {
  if (selected === undefined) return true;
  const { text, before, behind } = selected;
  let at = before.length;
  return (
    text.startsWith(before) &&
    !text.includes('\n') &&
    [...behind].every((character) => {
      at = text.indexOf(character, at) + 1;
      return at > 0;
    })
  );
}
