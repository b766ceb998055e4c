// A prompt that ends inside a token asks for something the model has never seen: the token after `const ` begins with
// the space. So the prompt ends before it, and the output must begin with what was removed. If it does not, the prompt
// that ends at the cursor is decoded instead.
import type { Tokenizer } from '../decoder';
import { ENDS_IN_NAME } from '../syntax/language';

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

export type Spelling = Pick<Tokenizer, 'encodeText' | 'decode'>;

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

function probesAfter(tail: string, isComplete: boolean): readonly string[] {
  if (/[ \t]$/.test(tail)) return AFTER_SPACE;
  if (!ENDS_IN_NAME.test(tail)) return AFTER_MARK;
  return isComplete ? AFTER_NAME : AFTER_WORD;
}

function commonPrefix(a: readonly number[], b: readonly number[]): readonly number[] {
  const different = a.findIndex((token, i) => token !== b[i]);
  return different < 0 ? a : a.slice(0, different);
}
