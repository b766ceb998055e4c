// Pieces of other documents that may help at a cursor: places of recent edits, and the parts of open documents
// whose identifiers are most like those around the cursor. The choice depends on the input alone, and not on the
// lines that are being written, as a prompt begins with it: what has been read of one key press serves the next.
import type { CompletionContext, DocumentSnapshot } from './context';
import { ineligibility, isSecretPath } from './eligibility';
import type { RecentEdit } from './recentEdits';

export interface Snippet {
  readonly fileName: string;
  readonly text: string;
}

export interface SnippetSources {
  /** Most recently used first. */
  readonly documents: readonly DocumentSnapshot[];
  /** Newest first. */
  readonly edits: readonly RecentEdit[];
}

interface Window extends Snippet {
  readonly words: ReadonlySet<string>;
}

const MAX_DOCUMENTS = 8;
const MAX_CHARACTERS = 40_000;
const WINDOW_LINES = 24;
const MAX_EDITS = 2;
const MAX_SNIPPETS = 4;
/** Below that, two pieces of code only share what all code shares. */
const MIN_SIMILARITY = 0.08;
const AROUND = 2_000;
const BLOCK_LINES = 8;

export class SnippetIndex {
  /** A document is cut into windows once per version. */
  readonly #windows = new Map<string, { readonly version: number; readonly windows: readonly Window[] }>();

  /** At most `budget` characters, the most helpful last: nearest to the file that is completed. */
  choose(context: CompletionContext, { documents, edits }: SnippetSources, budget: number): Snippet[] {
    const others = documents.filter(({ uri }) => uri !== context.uri).slice(0, MAX_DOCUMENTS);
    this.#forgetAllBut(others);
    const wanted = identifiers(settledText(context));
    const edited = edits
      .filter(({ uri, fileName }) => uri !== context.uri && !isSecretPath(uri) && !isSecretPath(fileName))
      .slice(0, MAX_EDITS);
    const similar = others
      .flatMap((document) => this.#windowsOf(document))
      .map((window) => ({ window, score: similarity(wanted, window.words) }))
      .filter(({ score }) => score >= MIN_SIMILARITY)
      .sort((a, b) => b.score - a.score)
      .map(({ window }) => window);
    const chosen: Snippet[] = [];
    let room = budget;
    for (const { fileName, text } of [...edited, ...similar]) {
      const size = fileName.length + text.length;
      const known = chosen.some((other) => other.fileName === fileName && overlap(other.text, text));
      if (size > room || known || text.trim() === '') continue;
      chosen.unshift({ fileName, text });
      room -= size;
      if (chosen.length === MAX_SNIPPETS) break;
    }
    return chosen;
  }

  #windowsOf(document: DocumentSnapshot): readonly Window[] {
    const { uri, version } = document;
    const known = this.#windows.get(uri);
    if (known?.version === version) return known.windows;
    const windows = ineligibility(document) === undefined ? cutWindows(document) : [];
    this.#windows.set(uri, { version, windows });
    return windows;
  }

  #forgetAllBut(documents: readonly DocumentSnapshot[]): void {
    const open = new Set(documents.map(({ uri }) => uri));
    for (const uri of this.#windows.keys()) if (!open.has(uri)) this.#windows.delete(uri);
  }
}

function cutWindows({ fileName, text }: DocumentSnapshot): Window[] {
  const lines = text.slice(0, MAX_CHARACTERS).split(/\r?\n/);
  const count = Math.ceil(lines.length / WINDOW_LINES);
  return Array.from({ length: count }, (_, i) => {
    const window = lines
      .slice(i * WINDOW_LINES, (i + 1) * WINDOW_LINES)
      .join('\n')
      .trimEnd();
    return { fileName, text: window, words: identifiers(window) };
  });
}

/** The text around the cursor without the block of lines that is being written. */
function settledText({ prefix, suffix, lineAfter }: CompletionContext): string {
  const lines = prefix.split('\n');
  const above = lines.slice(0, blockStart(lines.length - 1)).join('\n');
  return `${above.slice(-AROUND)}\n${suffix.slice(lineAfter.length, lineAfter.length + AROUND / 4)}`;
}

/** The first line of the block that a line is in. The first blocks are short, as there is little else to go by. */
function blockStart(line: number): number {
  if (line >= BLOCK_LINES) return line - (line % BLOCK_LINES);
  return line === 0 ? 0 : 2 ** Math.floor(Math.log2(line));
}

/** Short names and keywords are everywhere, and mostly short. */
function identifiers(text: string): Set<string> {
  return new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]{3,}/gu));
}

/** Jaccard: shared identifiers among all of both. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of b) if (a.has(word)) shared += 1;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** Whether two pieces of the same file share a line that says something. */
function overlap(a: string, b: string): boolean {
  const lines = new Set(a.split('\n').filter((line) => line.trim().length > 8));
  return b.split('\n').some((line) => lines.has(line));
}
