// The first half of token healing: shortens a prompt. One that ends inside a token is unlike all training data: after
// `const`, for instance, the next token always began with the space. So the prompt ends before the incomplete token,
// and the output must begin with the removed text, which HealingPrefix removes there.
import { commonStart } from '../../rules/commonEnds';
import type { Tokenizer } from '../decoder';
import { ENDS_IN_NAME } from '../syntax/language';

export interface Healing {
  /** Text before the cursor that the prompt keeps. */
  readonly kept: string;
  /** Text that the output must begin with. */
  readonly removed: string;
}

/** Characters of the line that are tokenized. Tokens rarely span a line end. */
const MAX_TAIL = 160;
/** Maximum number of removed characters. */
const MAX_REMOVED = 24;
/** Plausible continuations of a word and, after white space, beginnings of one; chosen to merge with most tokens. */
const AFTER_WORD = ['s', 'e', 'er', 't', 'ion', 'a', '_'];
const AFTER_SPACE = ['return', 'x', 'const', 'self', '='];
/** Plausible continuations after a complete name. */
const AFTER_NAME = ['(', '.', ' ', ')', ',', ';', ':', '='];
/** Pre-tokenizers join one punctuation mark with the letters after it: `.push`, `(next`. */
const AFTER_MARK = ['get', 'self', 'name', 'x'];

/** The part of a tokenizer that turns text into tokens and back. */
export type Spelling = Pick<Tokenizer, 'encodeText' | 'decode'>;

/**
 * Returns how to heal a prompt; undefined if no plausible continuation changes its last tokens. `isComplete` means
 * that the name at its end cannot become longer.
 */
export function healing(prefix: string, tokenizer: Spelling, isComplete = false): Healing | undefined {
  const tail = prefix.slice(Math.max(prefix.lastIndexOf('\n') + 1, prefix.length - MAX_TAIL));
  if (tail === '') return undefined;
  const [first = [], ...others] = probesAfter(tail, isComplete).map((probe) =>
    tokenizer.encodeText(tail + probe),
  );
  const kept = others.reduce<readonly number[]>(
    (shared, ids) => shared.slice(0, commonStart(shared, ids)),
    first,
  );
  const text = tokenizer.decode(kept);
  const removed = tail.slice(text.length);
  // A token can end inside a character; then its text is not the start of the line.
  if (!tail.startsWith(text) || removed === '' || removed.length > MAX_REMOVED) return undefined;
  return { kept: prefix.slice(0, prefix.length - removed.length), removed };
}

function probesAfter(tail: string, isComplete: boolean): readonly string[] {
  if (/[ \t]$/.test(tail)) return AFTER_SPACE;
  if (!ENDS_IN_NAME.test(tail)) return AFTER_MARK;
  return isComplete ? AFTER_NAME : AFTER_WORD;
}
