// Chooses pieces of other documents that can help at a cursor: the notebook cells above it, definitions that the code at
// the cursor uses, recent edits, and the windows of open documents and recently left places that share most identifiers
// with the code around the cursor.
// Prompts begin with these pieces, so the choice ignores the lines being written: then the cached start of the prompt
// can be reused at the next key.
import { identifiersIn, shareLine, similarity, type CodeWindow, type CodeWindows } from './codeWindows';
import type { CompletionContext, DocumentSnapshot } from './context';
import { definitionSnippets, fileOf, type Definition, type RelatedCode } from './definitions';
import { hasSecretPath } from './eligibility';
import { withLf } from './lineEnds';
import type { Excerpt, RecentPlaces } from './recentPlaces';

export interface Snippet {
  readonly fileName: string;
  readonly text: string;
}

/** Characters of other files that fit into a prompt. */
export interface SnippetBudget {
  readonly all: number;
  /** Limit of notebook cells and, separately, of recent edits together with similar code; both are part of `all`. */
  readonly similar: number;
}

/** Maximum numbers of sources and snippets. */
const MAX_DOCUMENTS = 8;
const MAX_EDITS = 2;
const MAX_SNIPPETS = 4;
/** Minimum Jaccard similarity. Below it, two pieces of code share only identifiers that most code has. */
const MIN_SIMILARITY = 0.08;
/** Characters before the cursor with which windows are compared; a quarter as many after it. */
const COMPARED = 2_000;
/** Lines in a block; the cursor's block is left out of the comparison while it is written. */
const BLOCK_LINES = 8;
/** Characters around the cursor that a prompt can contain, as a multiple of the budget for similar code. */
const PROMPT_REACH = 4;
/** Share of the budget for similar code that definitions must leave free. */
const SIMILAR_SHARE = 1 / 3;

/** Sources of snippets. Places and definitions are only of documents that may enter prompts. */
export interface SnippetSources {
  /** Open documents, the most recently used first. */
  readonly documents: readonly DocumentSnapshot[];
  readonly windows: CodeWindows;
  readonly places: RecentPlaces;
  /** Related code of the document at the cursor; its definitions are outlined. */
  readonly related?: RelatedCode | undefined;
}

/**
 * Returns snippets of at most `budget.all` characters. The most helpful one comes last, nearest to the completed file
 * in the prompt.
 */
export function chooseSnippets(
  context: CompletionContext,
  { documents, windows, places, related }: SnippetSources,
  budget: SnippetBudget,
): Snippet[] {
  const { definitions = [], above = [] } = related ?? {};
  const isQuotable = quotableNow();
  const quotable = documents.filter(
    ({ uri, ineligibleText }) => uri !== context.uri && ineligibleText === undefined,
  );
  const cellsBefore = above.flatMap((uri) =>
    quotable.filter((candidate) => candidate.uri === uri && isQuotable(candidate)),
  );
  const cells = cellsAbove(cellsBefore, budget.similar);
  const room = budget.all - sizeOf(cells);
  const reserved = Math.ceil(budget.similar * SIMILAR_SHARE);
  const defined = definitionSnippets(definitions, room - reserved, isQuotable);
  const otherDocuments = quotable.filter(({ uri }) => !above.includes(uri)).slice(0, MAX_DOCUMENTS);
  const placesLeft = places.placesLeftOutside(context, PROMPT_REACH * budget.similar);
  const allWindows = [...placesLeft, ...otherDocuments].flatMap((source) => windows.of(source));
  const candidates = [
    ...places.editsOutside(context.uri, MAX_EDITS),
    ...mostSimilar(context, allWindows),
  ].filter(({ text }) => text.trim() !== '');
  const similarRoom = Math.min(budget.similar, room - sizeOf(defined));
  const quoted = [...fitting(candidates, defined, similarRoom, isQuotable), ...defined];
  return [...quoted.map(({ fileName, text }) => ({ fileName, text })), ...cells];
}

/** Returns the windows that are similar to the cursor's code, most similar first. */
function mostSimilar(context: CompletionContext, windows: readonly CodeWindow[]): readonly CodeWindow[] {
  const cursorIdentifiers = identifiersIn(settledText(context));
  return windows
    .map((window) => ({ window, score: similarity(cursorIdentifiers, window.identifiers) }))
    .filter(({ score }) => score >= MIN_SIMILARITY)
    .sort((a, b) => b.score - a.score)
    .map(({ window }) => window);
}

/** Returns the first candidates that fit into `room` characters and repeat no other snippet, in reverse order. */
function fitting(
  candidates: readonly (Excerpt | CodeWindow)[],
  defined: readonly Definition[],
  room: number,
  isQuotable: (part: { readonly uri: string }) => boolean,
): (Excerpt | CodeWindow)[] {
  const chosen: (Excerpt | CodeWindow)[] = [];
  let left = room;
  for (const candidate of candidates) {
    const { uri, fileName, text } = candidate;
    if (chosen.length === MAX_SNIPPETS) break;
    const size = fileName.length + text.length;
    const isRepeated = [...defined, ...chosen].some(
      (snippet) => fileOf(snippet.uri) === fileOf(uri) && shareLine(snippet.text, text),
    );
    if (size > left || isRepeated || !isQuotable(candidate)) continue;
    chosen.unshift(candidate);
    left -= size;
  }
  return chosen;
}

function sizeOf(snippets: readonly Snippet[]): number {
  return snippets.reduce((sum, { fileName, text }) => sum + fileName.length + text.length, 0);
}

/** Joins the last cells above the cursor's cell that fit as a whole into `room` characters. */
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

/**
 * Returns a predicate: whether a file may be quoted, by its path and the targets of links in it. It checks each file
 * once.
 */
function quotableNow(): (part: { readonly uri: string }) => boolean {
  const checked = new Map<string, boolean>();
  return ({ uri }) => {
    const isQuotable = checked.get(uri) ?? !hasSecretPath(uri);
    checked.set(uri, isQuotable);
    return isQuotable;
  };
}

/** Returns the text around the cursor without the block of lines being written. */
function settledText({ prefix, below }: CompletionContext): string {
  const lines = prefix.split('\n');
  const above = lines.slice(0, blockStart(lines.length - 1)).join('\n');
  return `${above.slice(-COMPARED)}\n${below.slice(0, COMPARED / 4)}`;
}

/** Returns the first line of a line's block. The first blocks are short, as there is little other text yet. */
function blockStart(line: number): number {
  if (line >= BLOCK_LINES) return line - (line % BLOCK_LINES);
  return line === 0 ? 0 : 2 ** Math.floor(Math.log2(line));
}
