// Computes the drawing of a proposal: struck characters, inserted texts and new lines, as positions and texts without
// colours.
import * as vscode from 'vscode';
import { lineDiff } from '../../server/rules/lineDiff';
import { textDifference } from '../../server/rules/textDifference';
import type { OffsetEdit } from './proposal';

export interface Drawing {
  /** Extent of the change in the current document. */
  readonly range: vscode.Range;
  readonly struck: readonly vscode.Range[];
  /** Texts inserted within a line. */
  readonly inserted: readonly InsertedText[];
  /** New lines, joined to one text at the end of the line above; without such a line, at the start of the document. */
  readonly below: readonly InsertedText[];
  /** Counts of removed and added lines; a changed line counts in both. */
  readonly removedCount: number;
  readonly addedCount: number;
  /** Whether the changed lines are few enough, and the new texts short enough, to draw them in place. */
  readonly isSmall: boolean;
  /** Diff without context: old lines begin with "-", new ones with "+". */
  readonly diff: string;
}

export interface InsertedText {
  readonly at: vscode.Position;
  readonly text: string;
}

/** Maximum numbers of removed or changed lines, and of lines added below others, that are drawn in place. */
const MAX_REMOVED_LINES = 3;
const MAX_ADDED_LINES = 3;
/** Length limit of the text of one decoration. */
const MAX_CHARACTERS = 400;
/** Columns between the cursor and a change from which the change is probably out of view: VS Code does not say. */
const FAR_COLUMNS = 100;
/** A line that keeps a smaller share of its letters is drawn as replaced. */
const MIN_COMMON = 1 / 3;

/** Collects the changes of an edit, line by line. */
class DrawingBuilder {
  readonly #struck: vscode.Range[] = [];
  readonly #inserted: InsertedText[] = [];
  readonly #below: InsertedText[] = [];
  readonly #diff: string[] = [];
  #start: vscode.Position | undefined;
  #end: vscode.Position | undefined;
  #removedCount = 0;
  #addedCount = 0;
  #belowCount = 0;

  constructor(
    private readonly document: vscode.TextDocument,
    edit: OffsetEdit,
  ) {
    const { line, before, after } = linesOf(document, edit);
    for (const { at, removed, added } of lineDiff(before, after)) {
      const first = line + at;
      const old = before.slice(at, at + removed);
      const changed = Math.min(removed, added.length);
      this.#removedCount += removed;
      this.#addedCount += added.length;
      this.#diff.push(...old.map((text) => `-${text}`), ...added.map((text) => `+${text}`));
      for (let i = 0; i < changed; i += 1) this.#changeLine(first + i, old[i] ?? '', added[i] ?? '');
      for (let i = changed; i < removed; i += 1) this.#removeLine(first + i);
      if (added.length > changed) this.#addLines(first + removed - 1, added.slice(changed));
    }
  }

  get drawing(): Drawing | undefined {
    if (this.#start === undefined || this.#end === undefined) return undefined;
    const isSmall =
      this.#removedCount <= MAX_REMOVED_LINES &&
      this.#belowCount <= MAX_ADDED_LINES &&
      [...this.#inserted, ...this.#below].every(({ text }) => text.length <= MAX_CHARACTERS);
    return {
      range: new vscode.Range(this.#start, this.#end),
      struck: this.#struck,
      inserted: this.#inserted,
      below: this.#below,
      removedCount: this.#removedCount,
      addedCount: this.#addedCount,
      isSmall,
      diff: this.#diff.join('\n'),
    };
  }

  #changeLine(line: number, old: string, fresh: string): void {
    for (const { from, to, text } of wordChanges(old, fresh)) {
      this.#touch(new vscode.Range(line, from, line, to));
      if (to > from) this.#struck.push(new vscode.Range(line, from, line, to));
      if (text !== '') this.#inserted.push({ at: new vscode.Position(line, to), text });
    }
  }

  #removeLine(line: number): void {
    const { range, firstNonWhitespaceCharacterIndex } = this.document.lineAt(line);
    this.#touch(new vscode.Range(line, firstNonWhitespaceCharacterIndex, line, range.end.character));
    this.#struck.push(range);
  }

  /** Adds new lines below `line`; they follow its own change, if there is one. */
  #addLines(line: number, lines: readonly string[]): void {
    const at = line < 0 ? new vscode.Position(0, 0) : this.document.lineAt(line).range.end;
    this.#touch(new vscode.Range(at, at));
    this.#below.push({ at, text: lines.map((text) => `⏎ ${text.trim()}`).join(' ') });
    this.#belowCount += lines.length;
  }

  /** Extends the drawn change down to the end of `range`; the first call sets its start. */
  #touch({ start, end }: vscode.Range): void {
    this.#start ??= start;
    this.#end = end;
  }
}

/** Returns whether the nearest end of a change is so many columns from the cursor that it is probably out of view. */
export function isFarAside({ range: { start, end } }: Drawing, { character }: vscode.Position): boolean {
  const left = Math.min(start.character, end.character);
  const right = Math.max(start.character, end.character);
  return Math.max(left - character, character - right) >= FAR_COLUMNS;
}

/** Returns the whole lines of an edit, before and after it. */
function linesOf(document: vscode.TextDocument, { offset, old, text }: OffsetEdit) {
  const start = document.positionAt(offset);
  const end = document.positionAt(offset + old.length);
  const head = document.getText(new vscode.Range(start.line, 0, start.line, start.character));
  const tail = document.getText(new vscode.Range(end, document.lineAt(end.line).range.end));
  const [before, after] = [old, text].map((part) => (head + part + tail).split(/\r?\n/));
  return { line: start.line, before: before ?? [], after: after ?? [] };
}

/** Replacement of the characters of a line from `from` up to `to`, without `to` itself, by `text`. */
interface WordChange {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Returns the changes of a line by words; one change of the whole line if the texts have little in common. */
function wordChanges(old: string, fresh: string): WordChange[] {
  const before = wordsOf(old);
  const after = wordsOf(fresh);
  const starts = [0];
  for (const word of before) starts.push((starts.at(-1) ?? 0) + word.length);
  const startOf = (word: number): number => starts[word] ?? old.length;
  const changes: WordChange[] = [];
  let removedText = '';
  for (const { at: word, removed, added } of lineDiff(before, after)) {
    const from = startOf(word);
    const to = startOf(word + removed);
    const text = added.join('');
    removedText += old.slice(from, to);
    const last = changes.at(-1);
    const between = last && old.slice(last.to, from);
    // Changed words separated only by white space are one change.
    if (last && between?.trim() === '')
      changes.splice(-1, 1, { from: last.from, to, text: last.text + between + text });
    else changes.push({ from, to, text });
  }
  const keptLetters = letterCount(old) - letterCount(removedText);
  const isReplaced = keptLetters < MIN_COMMON * Math.min(letterCount(old), letterCount(fresh));
  if (!isReplaced || changes.length < 2) return changes.map((change) => withinWord(old, change));
  const indent = Math.min(/^\s*/.exec(old)?.[0].length ?? 0, /^\s*/.exec(fresh)?.[0].length ?? 0);
  const from = old.startsWith(fresh.slice(0, indent)) ? indent : 0;
  return [{ from, to: old.length, text: fresh.slice(from) }];
}

/** Reduces a change to the inserted or deleted characters if a word only grows or shrinks. */
function withinWord(line: string, change: WordChange): WordChange {
  const { start, removed, inserted } = textDifference(line.slice(change.from, change.to), change.text);
  if (removed !== '' && inserted !== '') return change;
  const from = change.from + start;
  return { from, to: from + removed.length, text: inserted };
}

/** Counts letters and digits. */
function letterCount(text: string): number {
  return text.replace(/[^\p{L}\p{N}]/gu, '').length;
}

function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{M}\p{N}_$]+|\s+|[^\p{L}\p{M}\p{N}_$\s]/gu) ?? [];
}

/** Returns the drawing of an edit; undefined if no line changes. */
export function drawingOf(document: vscode.TextDocument, edit: OffsetEdit): Drawing | undefined {
  return new DrawingBuilder(document, edit).drawing;
}
