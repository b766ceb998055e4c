// What is counted in a text to decide whether it may enter prompts. Each number is a sum over lines, so that a key costs
// the lines that it touched and not the file.
import { LONGEST_MEAN_LINE } from '../../rules/hiddenFiles';
import { secretSigns, type SecretSigns } from '../../rules/secretTexts';
import type { DocumentSnapshot } from './context';

export interface TextCounts {
  readonly signs: SecretSigns;
  /** Lines with characters that are rare in text, see eligibility.ts; without any, it is not binary. */
  readonly oddLines: number;
  /** Lines of at least the longest mean of files that were written by hand; without any, it is not minified. */
  readonly longLines: number;
}

/** A text of which the first `from` and the last `behind` UTF-16 units are those of the version before. */
export interface TextEdit {
  readonly before: DocumentSnapshot;
  readonly from: number;
  readonly behind: number;
}

// eslint-disable-next-line no-control-regex -- such characters are what a binary file looks like as text
const ODD = /[\0-\u0008\u000e-\u001a\u001c-\u001f\ufffd][^\n]*/g;

export function countsOf(text: string): TextCounts {
  return { signs: secretSigns(text), oddLines: text.match(ODD)?.length ?? 0, longLines: longLinesIn(text) };
}

/** The same as of the whole text. */
export function editedCounts(
  text: string,
  counts: TextCounts,
  { before, from, behind }: TextEdit,
): TextCounts {
  const old = before.text;
  const shared = Math.max(0, Math.min(behind, Math.min(old.length, text.length) - from));
  const start = from === 0 ? 0 : text.lastIndexOf('\n', from - 1) + 1;
  const next = text.indexOf('\n', text.length - shared);
  const rest = next < 0 ? 0 : text.length - next;
  const added = countsOf(text.slice(start, text.length - rest));
  const removed = countsOf(old.slice(start, old.length - rest));
  return {
    signs: counts.signs.map((count, i) => count + (added.signs[i] ?? 0) - (removed.signs[i] ?? 0)),
    oddLines: counts.oddLines + added.oddLines - removed.oddLines,
    longLines: counts.longLines + added.longLines - removed.longLines,
  };
}

function longLinesIn(text: string): number {
  let count = 0;
  for (let begin = 0; begin < text.length;) {
    const next = text.indexOf('\n', begin);
    const end = next < 0 ? text.length : next;
    if (end - begin >= LONGEST_MEAN_LINE) count += 1;
    begin = end + 1;
  }
  return count;
}
