// Cuts files into windows of some lines, and compares windows by their identifiers.
import type { DocumentSnapshot } from './context';
import type { Excerpt } from './recentPlaces';

/** Some lines of a file. */
export interface CodeWindow {
  readonly uri: string;
  readonly fileName: string;
  readonly text: string;
  readonly identifiers: ReadonlySet<string>;
}

const WINDOW_LINES = 24;
/** Characters of a file, from its start on, that are cut into windows. */
const MAX_CHARACTERS = 40_000;

/** Length up to which a line is mostly just a bracket or a keyword. */
const SHORT_LINE = 8;

/** Cuts each version of a document, and each excerpt, into windows once. */
export class CodeWindows {
  readonly #windows = new WeakMap<DocumentSnapshot | Excerpt, readonly CodeWindow[]>();

  of(source: DocumentSnapshot | Excerpt): readonly CodeWindow[] {
    const windows = this.#windows.get(source) ?? cutWindows(source);
    this.#windows.set(source, windows);
    return windows;
  }
}

/** Cuts a text into windows of WINDOW_LINES lines; the last one can be shorter. */
export function cutWindows({ uri, fileName, text }: Omit<Excerpt, 'offset'>): CodeWindow[] {
  const lines = text.slice(0, MAX_CHARACTERS).split(/\r?\n/);
  const count = Math.ceil(lines.length / WINDOW_LINES);
  return Array.from({ length: count }, (_, i) => {
    const window = lines
      .slice(i * WINDOW_LINES, (i + 1) * WINDOW_LINES)
      .join('\n')
      .trimEnd();
    return { uri, fileName, text: window, identifiers: identifiersIn(window) };
  });
}

/** Returns the words of four or more characters; shorter ones are mostly keywords and common names. */
export function identifiersIn(text: string): Set<string> {
  return new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]{3,}/gu));
}

/** Returns the Jaccard similarity, 0 to 1: the share of all identifiers that both sets have. */
export function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const identifier of b) if (a.has(identifier)) shared += 1;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** Returns whether two pieces of one file share a line that is longer than SHORT_LINE. */
export function shareLine(a: string, b: string): boolean {
  const lines = new Set(a.split('\n').filter((line) => line.trim().length > SHORT_LINE));
  return b.split('\n').some((line) => lines.has(line));
}
