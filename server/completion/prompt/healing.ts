// The first half of token healing: shortens a prompt that ends inside a token. Training data has no such prompts: after
// `const `, for example, the space belongs to the next token. So the healed prompt ends before the incomplete token,
// and the output must begin with the removed text, which HealedOutput removes from it.
import { commonStart } from '../../rules/commonEnds';
import type { Tokenizer } from '../decoder';
import { ENDS_IN_NAME } from '../syntax/language';

export interface Healing {
  /** Text before the cursor that the prompt keeps. */
  readonly kept: string;
  /** Text that the output must begin with. */
  readonly removed: string;
}

/** The tokens of a healed prompt. */
export interface HealedPrompt {
  readonly ids: readonly number[];
  /** Text that the output must begin with. */
  readonly removed: string;
}

/** Maximum characters before the cursor that are encoded, all in the cursor's line: tokens rarely span a line end. */
const MAX_TAIL = 160;
/** Maximum number of removed characters. */
const MAX_REMOVED = 24;
/**
 * Plausible continuations of a word, and beginnings of a word after white space. Most tokens merge with one of them.
 */
const AFTER_WORD = ['s', 'e', 'er', 't', 'ion', 'a', '_'];
const AFTER_SPACE = ['return', 'x', 'const', 'self', '='];
/** Plausible continuations after a complete name. */
const AFTER_NAME = ['(', '.', ' ', ')', ',', ';', ':', '='];
/** Pre-tokenizers join one punctuation mark with the letters after it: `.push`, `(next`. */
const AFTER_MARK = ['get', 'self', 'name', 'x'];

/** The part of a tokenizer that turns text into tokens and back. */
export interface Spelling {
  readonly encodeText: Tokenizer['encodeText'];
  readonly decode: Tokenizer['decode'];
}

/**
 * Returns how to heal a prompt: keeps the tokens that do not depend on how the text goes on. Undefined if no plausible
 * continuation changes the last tokens, or if more than MAX_REMOVED characters depend on it. `isComplete` says that the
 * name at the prompt's end is complete.
 */
export function healing(prefix: string, tokenizer: Spelling, isComplete = false): Healing | undefined {
  const tail = prefix.slice(Math.max(prefix.lastIndexOf('\n') + 1, prefix.length - MAX_TAIL));
  if (tail === '') return undefined;
  const [first = [], ...rest] = probesAfter(tail, isComplete).map((probe) =>
    tokenizer.encodeText(tail + probe),
  );
  const sharedIds = rest.reduce<readonly number[]>(
    (shared, ids) => shared.slice(0, commonStart(shared, ids)),
    first,
  );
  const text = tokenizer.decode(sharedIds);
  const removed = tail.slice(text.length);
  // A token can end inside a character; then its text is not the start of the line.
  if (!tail.startsWith(text) || removed === '' || removed.length > MAX_REMOVED) return undefined;
  return { kept: prefix.slice(0, prefix.length - removed.length), removed };
}

/** Returns plausible continuations of a text. */
function probesAfter(tail: string, isComplete: boolean): readonly string[] {
  if (/[ \t]$/.test(tail)) return AFTER_SPACE;
  if (!ENDS_IN_NAME.test(tail)) return AFTER_MARK;
  return isComplete ? AFTER_NAME : AFTER_WORD;
}
