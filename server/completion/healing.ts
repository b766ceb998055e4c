// A prompt that ends inside a token asks for something the model has never seen: after `const ` comes a token
// that begins with the space. So the prompt ends before it, and the output has to begin with what was taken away.
import type { Decoder } from './decoder';

export interface Healing {
  /** What the prompt keeps of the text before the cursor. */
  readonly kept: string;
  /** What the output must begin with. */
  readonly removed: string;
}

/** As tokens rarely reach over a line end, this much of the line says how it is cut. */
const TAIL = 160;
const MOST_REMOVED = 24;
const IDENTIFIER = /[\p{L}\p{N}_$]$/u;
/** What may follow: an end of a word, or after white space a beginning. Chosen to join with most of what is there. */
const AFTER_WORD = ['s', 'e', 'er', 't', 'ion', 'a', '_'];
const AFTER_SPACE = ['return', 'x', 'const', 'self', '='];
/** Pre-tokenizers join one mark with the letters after it: `.push`, `(next`. */
const AFTER_MARK = ['get', 'self', 'name', 'x'];

/** Undefined when every plausible continuation leaves the last tokens as they are. */
export function healing(
  prefix: string,
  tokenizer: Pick<Decoder, 'encodeText' | 'decodeText'>,
): Healing | undefined {
  const tail = prefix.slice(Math.max(prefix.lastIndexOf('\n') + 1, prefix.length - TAIL));
  if (tail === '') return undefined;
  const [first = [], ...others] = probesAfter(tail).map((probe) => tokenizer.encodeText(tail + probe));
  const kept = others.reduce<readonly number[]>(sharedTokens, first);
  const text = tokenizer.decodeText(kept);
  const removed = tail.slice(text.length);
  // A token may end inside a character; then its text is not the beginning of the line.
  if (!tail.startsWith(text) || removed === '' || removed.length > MOST_REMOVED) return undefined;
  return { kept: prefix.slice(0, prefix.length - removed.length), removed };
}

function probesAfter(tail: string): readonly string[] {
  if (/[ \t]$/.test(tail)) return AFTER_SPACE;
  return IDENTIFIER.test(tail) ? AFTER_WORD : AFTER_MARK;
}

function sharedTokens(a: readonly number[], b: readonly number[]): readonly number[] {
  const different = a.findIndex((token, i) => token !== b[i]);
  return different < 0 ? a : a.slice(0, different);
}
