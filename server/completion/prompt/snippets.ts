// Pieces of other documents that may help at a cursor: what the file imports, places where the user has recently typed,
// and the parts of open documents and places left whose identifiers are most like those around the cursor. Prompts begin
// with them, so the choice does not depend on the lines being written: what was read at one key press serves the next.
import type { CompletionContext, DocumentSnapshot } from './context';
import { definitionSnippets, outlined, type Needed } from './definitions';
import { hasSecretPath } from './eligibility';
import { withLf } from './lineEnds';

export interface Snippet {
  readonly fileName: string;
  readonly text: string;
}

/** Characters of other files that fit into a prompt: `all` with definitions, `similar` without. */
export interface SnippetBudget {
  readonly all: number;
  readonly similar: number;
}

interface Window extends Snippet {
  readonly uri: string;
  readonly words: ReadonlySet<string>;
}

const MAX_DOCUMENTS = 8;
const MAX_CHARACTERS = 40_000;
const WINDOW_LINES = 24;
const MAX_EDITS = 2;
const MAX_SNIPPETS = 4;
/** Below this, two pieces of code share only what all code shares. */
const MIN_SIMILARITY = 0.08;
const AROUND = 2_000;
const BLOCK_LINES = 8;
const KEPT_EDITS = 8;
/** Edits closer than this are in one place. */
const AROUND_EDIT = 400;
/** How far a prompt reaches in its own file, in budgets for others. */
const OWN_REACH = 4;
/** Of the room for anything else, which recent edits keep beside definitions. */
const SIMILAR_SHARE = 1 / 3;

/** Characters on each side that belong to a place. */
const PLACE_LINES = 400;
const KEPT_PLACES = 16;

/** Whole lines around a place where the person was lately, as they were when it was left. */
interface Place extends Pick<DocumentSnapshot, 'uri' | 'fileName' | 'text'> {
  readonly offset: number;
}

interface Here {
  readonly document: DocumentSnapshot;
  readonly arrivedAt: number;
  readonly offset: number;
}

/** Must only be told of documents that may enter a prompt. */
export class Snippets {
  /** Newest first, and only the newest of one place. */
  #edits: readonly Place[] = [];
  /** Likewise the places that were left, in files that are open and in files closed since. */
  #left: readonly Place[] = [];
  #here: Here | undefined;
  readonly #needed = new Map<string, Needed>();
  /** A version of a document is cut into windows once; a place is one. */
  readonly #windows = new WeakMap<DocumentSnapshot | Place, readonly Window[]>();

  /** A document was changed, which left the cursor at `offset`. */
  edited(document: DocumentSnapshot, offset: number): void {
    const edit = placeAt(document, offset);
    this.#edits = [edit, ...farFrom(edit, this.#edits, AROUND_EDIT)].slice(0, KEPT_EDITS);
    this.visited(document, offset);
  }

  /**
   * The cursor is at `offset`, whether or not something is typed there. Further away than a place reaches, another one is
   * left.
   */
  visited(document: DocumentSnapshot, offset: number): void {
    const here = this.#here;
    const isNear =
      here?.document.uri === document.uri && Math.abs(here.arrivedAt - offset) <= 2 * PLACE_LINES;
    if (!isNear) this.#leave();
    this.#here = { document, offset, arrivedAt: isNear ? here.arrivedAt : offset };
  }

  /** A document was closed. Where the person was in it may be quoted on. */
  closed(uri: string): void {
    if (this.#here?.document.uri === uri) this.#leave();
    this.#edits = this.#edits.filter((edit) => edit.uri !== uri);
    this.#needed.delete(uri);
  }

  /** A document may no longer enter prompts. */
  forget(uri: string): void {
    this.closed(uri);
    this.keepPlaces((other) => other !== uri);
  }

  /** Forgets places in all other documents. */
  keepPlaces(isKept: (uri: string) => boolean): void {
    this.#left = this.#left.filter(({ uri }) => isKept(uri));
    if (this.#here && !isKept(this.#here.document.uri)) this.#here = undefined;
  }

  /** What a document needs of others; replaces what was known of it. */
  define(uri: string, { definitions, above }: Needed): void {
    this.#needed.set(uri, { definitions: definitions.map(outlined), above });
  }

  /**
   * At most `budget.all` characters of what the file imports, from recent edits, places left and those of `documents` that
   * may enter a prompt; they come most recently used first. Returns the most helpful last, nearest to the completed file.
   */
  choose(
    context: CompletionContext,
    documents: readonly DocumentSnapshot[],
    budget: SnippetBudget,
  ): Snippet[] {
    const { definitions = [], above = [] } = this.#needed.get(context.uri) ?? {};
    const quotable = documents.filter(
      (document) => document.uri !== context.uri && document.ineligibleText === undefined,
    );
    const others = quotable.filter(({ uri }) => !above.includes(uri)).slice(0, MAX_DOCUMENTS);
    const isQuotable = quotableNow();
    const wanted = identifiers(settledText(context));
    const edited = this.#edits.filter((edit) => edit.uri !== context.uri).slice(0, MAX_EDITS);
    const left = this.#elsewhere(context, OWN_REACH * budget.similar);
    const similar = [...left, ...others]
      .flatMap((source) => this.#windowsOf(source))
      .map((window) => ({ window, score: similarity(wanted, window.words) }))
      .filter(({ score }) => score >= MIN_SIMILARITY)
      .sort((a, b) => b.score - a.score)
      .map(({ window }) => window);
    const before = above.flatMap((uri) => quotable.filter((each) => each.uri === uri && isQuotable(each)));
    const cells = cellsAbove(before, budget.similar);
    const kept = Math.ceil(budget.similar * SIMILAR_SHARE);
    const imported = definitionSnippets(definitions, budget.all - sizeOf(cells) - kept, isQuotable);
    const chosen: Snippet[] = [];
    let room = Math.min(budget.similar, budget.all - sizeOf(imported) - sizeOf(cells));
    for (const { uri, fileName, text } of [...edited, ...similar]) {
      if (chosen.length === MAX_SNIPPETS) break;
      const size = fileName.length + text.length;
      const known = [...imported, ...chosen].some(
        (other) => other.fileName === fileName && overlap(other.text, text),
      );
      if (size > room || known || text.trim() === '' || !isQuotable({ uri })) continue;
      chosen.unshift({ fileName, text });
      room -= size;
    }
    return [...chosen, ...imported, ...cells];
  }

  /**
   * Places in other documents, and those that are more than `reach` characters away in the same one: as seen from where
   * the person came to, so that they stay the same while something is typed there.
   */
  #elsewhere({ uri, offset }: CompletionContext, reach: number): readonly Place[] {
    const from = this.#here?.document.uri === uri ? this.#here.arrivedAt : offset;
    return farFrom({ uri, offset: from }, this.#left, reach);
  }

  #leave(): void {
    const here = this.#here;
    this.#here = undefined;
    if (!here) return;
    const place = placeAt(here.document, here.offset);
    this.#left = [place, ...farFrom(place, this.#left, PLACE_LINES)].slice(0, KEPT_PLACES);
  }

  #windowsOf(source: DocumentSnapshot | Place): readonly Window[] {
    const windows = this.#windows.get(source) ?? cutWindows(source);
    this.#windows.set(source, windows);
    return windows;
  }
}

function sizeOf(snippets: readonly Snippet[]): number {
  return snippets.reduce((sum, { fileName, text }) => sum + fileName.length + text.length, 0);
}

/** The last whole cells above in at most `room` characters, as one text. */
function cellsAbove(cells: readonly DocumentSnapshot[], room: number): Snippet[] {
  let left = room;
  const texts: string[] = [];
  for (const { text, fileName } of cells.toReversed()) {
    left -= text.length + fileName.length;
    if (left < 0) break;
    if (text.trim() !== '') texts.unshift(withLf(text).trimEnd());
  }
  const [{ fileName } = { fileName: '' }] = cells;
  return texts.length === 0 ? [] : [{ fileName, text: texts.join('\n\n') }];
}

/** Whether a file may be quoted now, by what its links lead to; asked only for what a prompt would have. */
function quotableNow(): (part: { readonly uri: string }) => boolean {
  const known = new Map<string, boolean>();
  return ({ uri }) => {
    const isQuotable = known.get(uri) ?? !hasSecretPath(uri);
    known.set(uri, isQuotable);
    return isQuotable;
  };
}

/** A place is one window, or two where lines are short. */
function cutWindows({ uri, fileName, text }: Place | DocumentSnapshot): Window[] {
  const lines = text.slice(0, MAX_CHARACTERS).split(/\r?\n/);
  const count = Math.ceil(lines.length / WINDOW_LINES);
  return Array.from({ length: count }, (_, i) => {
    const window = lines
      .slice(i * WINDOW_LINES, (i + 1) * WINDOW_LINES)
      .join('\n')
      .trimEnd();
    return { uri, fileName, text: window, words: identifiers(window) };
  });
}

/** The text around the cursor without the block of lines being written. */
function settledText({ prefix, suffix, lineAfter }: CompletionContext): string {
  const lines = prefix.split('\n');
  const above = lines.slice(0, blockStart(lines.length - 1)).join('\n');
  return `${above.slice(-AROUND)}\n${suffix.slice(lineAfter.length, lineAfter.length + AROUND / 4)}`;
}

/** The first line of the block that contains a line. The first blocks are short, as there is little other text yet. */
function blockStart(line: number): number {
  if (line >= BLOCK_LINES) return line - (line % BLOCK_LINES);
  return line === 0 ? 0 : 2 ** Math.floor(Math.log2(line));
}

/** Short words are left out: they are mostly keywords and common names. */
function identifiers(text: string): Set<string> {
  return new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]{3,}/gu));
}

/** Jaccard similarity: the share of all identifiers that both have. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of b) if (a.has(word)) shared += 1;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** Whether two pieces of the same file share a meaningful line. */
function overlap(a: string, b: string): boolean {
  const lines = new Set(a.split('\n').filter((line) => line.trim().length > 8));
  return b.split('\n').some((line) => lines.has(line));
}

/** Those in other documents, or more than `distance` characters away. */
function farFrom(
  { uri, offset }: Pick<Place, 'uri' | 'offset'>,
  places: readonly Place[],
  distance: number,
): readonly Place[] {
  return places.filter((place) => place.uri !== uri || Math.abs(place.offset - offset) > distance);
}

function placeAt({ uri, fileName, text }: DocumentSnapshot, offset: number): Place {
  const from = Math.max(0, offset - PLACE_LINES);
  const around = withLf(text.slice(from, offset + PLACE_LINES));
  const start = from === 0 ? 0 : around.indexOf('\n') + 1;
  const end = offset + PLACE_LINES >= text.length ? around.length : around.lastIndexOf('\n');
  return { uri, fileName, offset, text: around.slice(start, Math.max(start, end)) };
}
