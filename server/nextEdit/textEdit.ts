// Converts changed lines to the smallest edit of the text.
import type { Position, TextEdit } from 'vscode-languageserver/node';
import type { LineChange } from '../rules/lineDiff';
import { textDifference } from '../rules/textDifference';

/** Returns the characters in which the changed lines differ. Offsets count from the start of the first one. */
export function changedText({ at, removed, added }: LineChange, lines: readonly string[]) {
  return textDifference(lines.slice(at, at + removed).join('\n'), added.join('\n'));
}

/** Returns the smallest edit that makes a change in a document. Its text has \n for line ends. */
export function textEdit(change: LineChange, lines: readonly string[]): TextEdit {
  const { at, removed, added } = change;
  if (added.length === 0) return removal(at, at + removed, lines);
  if (removed === 0) return insertion(at, added, lines);
  const before = lines.slice(at, at + removed).join('\n');
  const difference = changedText(change, lines);
  const position = (offset: number): Position => {
    const head = before.slice(0, offset).split('\n');
    return { line: at + head.length - 1, character: head.at(-1)?.length ?? 0 };
  };
  return {
    range: { start: position(difference.start), end: position(difference.start + difference.removed.length) },
    newText: difference.inserted,
  };
}

/** Returns the position after the last character of a line. */
export function endOfLine(line: number, lines: readonly string[]): Position {
  return { line, character: lines[line]?.length ?? 0 };
}

function removal(at: number, end: number, lines: readonly string[]): TextEdit {
  if (end < lines.length) return { range: { start: startOfLine(at), end: startOfLine(end) }, newText: '' };
  const start = at > 0 ? endOfLine(at - 1, lines) : startOfLine(0);
  return { range: { start, end: endOfLine(end - 1, lines) }, newText: '' };
}

function insertion(at: number, added: readonly string[], lines: readonly string[]): TextEdit {
  const text = added.join('\n');
  const isBelow = at >= lines.length;
  const position = isBelow ? endOfLine(at - 1, lines) : startOfLine(at);
  return { range: { start: position, end: position }, newText: isBelow ? `\n${text}` : `${text}\n` };
}

function startOfLine(line: number): Position {
  return { line, character: 0 };
}
