// Converts changed lines to the smallest edit of the text.
import type { LineChange } from '../rules/lineDiff';
import { textDifference } from '../rules/textDifference';

export interface Place {
  readonly line: number;
  /** Column from 0, in UTF-16 units. */
  readonly character: number;
}

/** An edit that replaces the text from `start` to `end`. */
export interface TextEdit {
  readonly start: Place;
  readonly end: Place;
  readonly text: string;
}

/** Returns the characters in which the changed lines differ. Offsets count from the start of the first one. */
export function changedText({ at, removed, added }: LineChange, lines: readonly string[]) {
  return textDifference(lines.slice(at, at + removed).join('\n'), added.join('\n'));
}

/** Returns the smallest edit that makes a change in a document. Its text has \n for line ends. */
export function textEdit(change: LineChange, lines: readonly string[]): TextEdit {
  const { at, removed, added } = change;
  const end = at + removed;
  if (added.length === 0) return removal(at, end, lines);
  if (removed === 0) return insertion(at, added, lines);
  const before = lines.slice(at, end).join('\n');
  const difference = changedText(change, lines);
  const place = (offset: number): Place => {
    const head = before.slice(0, offset).split('\n');
    return { line: at + head.length - 1, character: head.at(-1)?.length ?? 0 };
  };
  return {
    start: place(difference.start),
    end: place(difference.start + difference.removed.length),
    text: difference.inserted,
  };
}

function removal(at: number, end: number, lines: readonly string[]): TextEdit {
  if (end < lines.length)
    return { start: { line: at, character: 0 }, end: { line: end, character: 0 }, text: '' };
  const last = { line: end - 1, character: lines[end - 1]?.length ?? 0 };
  const start = at > 0 ? { line: at - 1, character: lines[at - 1]?.length ?? 0 } : { line: 0, character: 0 };
  return { start, end: last, text: '' };
}

function insertion(at: number, added: readonly string[], lines: readonly string[]): TextEdit {
  const text = added.join('\n');
  if (at < lines.length) {
    const place = { line: at, character: 0 };
    return { start: place, end: place, text: `${text}\n` };
  }
  const last = { line: at - 1, character: lines[at - 1]?.length ?? 0 };
  return { start: last, end: last, text: `\n${text}` };
}
