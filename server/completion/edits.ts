// The recent edits of open documents, key press by key press: what belongs together is one edit, which is known as what
// it changed in its line.
import { lineChange, type LineChange } from './lineChange';

/** Replaces a range of a text, in offsets. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** One act of the user: changes made one after the other, the first one to `before`. */
export interface DocumentEdit {
  readonly before: string;
  readonly changes: readonly TextChange[];
}

/** A stretch of `before` and where it is now. */
interface Stretch {
  readonly before: string;
  readonly start: number;
  readonly endBefore: number;
  readonly end: number;
}

export interface RecentEdits {
  /** Oldest first; the last one is the edit at `offset`. */
  readonly changes: readonly LineChange[];
  /** Where the last edit ends. */
  readonly offset: number;
}

interface DocumentEdits {
  readonly done: LineChange[];
  current: Stretch | undefined;
}

const KEPT_EDITS = 8;

export class Edits {
  readonly #documents = new Map<string, DocumentEdits>();

  /** Changes of several lines at once, as with several cursors or a formatter, are no pattern. */
  changed(uri: string, { before, changes }: DocumentEdit): void {
    const edits = this.#documents.get(uri) ?? { done: [], current: undefined };
    this.#documents.set(uri, edits);
    const [first, ...others] = changes;
    if (first === undefined) return;
    const { current } = edits;
    const touches = current && first.start <= current.end && first.end >= current.start;
    if (current && !touches) finish(edits, before);
    const { start, end } = first;
    let stretch = touches ? current : { before, start, endBefore: end, end };
    for (const change of [first, ...others]) stretch = extended(stretch, change);
    edits.current = stretch;
  }

  /** The whole text was replaced, or the document closed. */
  forget(uri: string): void {
    this.#documents.delete(uri);
  }

  /** Undefined unless the last edit changed one line of `text`, the document as it is now. */
  recent(uri: string, text: string): RecentEdits | undefined {
    const edits = this.#documents.get(uri);
    const change = edits?.current && changeOf(edits.current, text);
    if (edits?.current === undefined || change === undefined) return undefined;
    return isUndone(edits.done, change)
      ? undefined
      : { changes: [...edits.done, change], offset: edits.current.end };
  }
}

function finish(edits: DocumentEdits, text: string): void {
  const change = edits.current && changeOf(edits.current, text);
  edits.current = undefined;
  if (change === undefined) return;
  // What was taken back is no pattern.
  if (isUndone(edits.done, change)) edits.done.pop();
  else edits.done.push(change);
  if (edits.done.length > KEPT_EDITS) edits.done.shift();
}

function isUndone(done: readonly LineChange[], change: LineChange): boolean {
  const last = done.at(-1);
  return last?.old === change.new && last.new === change.old;
}

function extended({ before, start, endBefore, end }: Stretch, change: TextChange): Stretch {
  const to = Math.max(end, change.end);
  return {
    before,
    start: Math.min(start, change.start),
    endBefore: endBefore + to - end,
    end: to + change.text.length - (change.end - change.start),
  };
}

/** In the line of the stretch, if it is one line before and after. */
function changeOf({ before, start, endBefore, end }: Stretch, text: string): LineChange | undefined {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const [was, is] = [before.slice(from, lineEnd(before, endBefore)), text.slice(from, lineEnd(text, end))];
  return was.includes('\n') || is.includes('\n') ? undefined : lineChange(was, is);
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end;
}
