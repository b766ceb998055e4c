// The document around a cursor as one readonly value, computed once per request: all later stages read it and never
// touch the document again. Line ends are \n inside this layer; suggestions are given the document's own.
import { usualIndentation } from '../syntax/language';
import { OpenDelimiters } from '../syntax/openDelimiters';
import { lineEndOf, withLf, type LineEnd } from './lineEnds';

export type Ineligibility = 'secret' | 'binary' | 'minified' | 'large';

/** A document at one version. */
export interface DocumentSnapshot {
  /** One level of indentation as the editor is set; for a document that shows none. */
  readonly editorUnit?: string | undefined;
  readonly uri: string;
  /** Relative path or base name, as shown to the model. */
  readonly fileName: string;
  readonly languageId: string;
  readonly text: string;
  /** Why it must stay out of every prompt; undefined when it may enter. */
  readonly ineligible?: Ineligibility | undefined;
  /** The same by its name and text alone, without what links lead to. */
  readonly ineligibleText?: Ineligibility | undefined;
}

/** The entry that the IntelliSense list would insert: its text replaces the document from `start` to `end`. */
export interface SelectedItem {
  /** At the cursor or before it. */
  readonly start: number;
  /** At the cursor or behind it, as with the quote that closes a key in JSON. */
  readonly end: number;
  readonly text: string;
  /** The person went to it in the list: it is not just the one that the list begins with. */
  readonly isChosen?: boolean;
}

export interface CompletionContext extends Pick<DocumentSnapshot, 'uri' | 'fileName' | 'languageId'> {
  /** Where the cursor is in the document. */
  readonly offset: number;
  /** Text before the cursor and behind it, with the selected item, if any, in place. */
  readonly prefix: string;
  readonly suffix: string;
  /** What stands above the prefix. Only what it leaves open is of interest. */
  readonly beginning: string;
  /** Whether the suffix goes to the end of the document. */
  readonly reachesEnd: boolean;
  /** Reads what the text above the cursor's line leaves open. */
  readonly openDelimiters: OpenDelimiters;
  readonly lineBefore: string;
  readonly lineAfter: string;
  /** One level: a tab or some spaces. */
  readonly unit: string;
  /** Whether the document shows no indentation, so that the editor's is used. */
  readonly isUnitOfEditor: boolean;
  readonly eol: LineEnd;
  /** `before` and `behind` the cursor is what the item replaces. */
  readonly selected: (SelectedItem & { readonly before: string; readonly behind: string }) | undefined;
}

/** Characters read on each side; text further away never enters a prompt. */
export const MAX_PREFIX = 32_768;
export const MAX_SUFFIX = 16_384;
const STEP = 4_096;
/** Of those, the ones that show how the document is indented. */
const INDENTATION_REACH = 12_000;

/** `at` is in the document; a place within a character counts as its end. */
export function completionContext(
  document: DocumentSnapshot,
  at: number,
  selected?: SelectedItem,
  openDelimiters = new OpenDelimiters(),
): CompletionContext {
  const { uri, fileName, languageId, text, editorUnit } = document;
  const offset = characterEnd(text, at);
  // In steps, so that the start stays the same while the person types.
  const beyond = Math.max(0, offset - MAX_PREFIX);
  const from = characterEnd(text, Math.ceil(beyond / STEP) * STEP);
  const to = characterEnd(text, Math.min(text.length, offset + MAX_SUFFIX));
  const head = text.slice(from, selected?.start ?? offset) + (selected?.text ?? '');
  const rest = text.slice(selected?.end ?? offset, to);
  const eol = lineEndOf(head + rest);
  const [prefix, suffix] = [withLf(head), withLf(rest)];
  const lineBefore = prefix.slice(prefix.lastIndexOf('\n') + 1);
  return {
    uri,
    fileName,
    languageId,
    offset,
    prefix,
    suffix,
    beginning: text.slice(0, from),
    reachesEnd: to === text.length,
    openDelimiters,
    lineBefore,
    lineAfter: /^.*/.exec(suffix)?.[0] ?? '',
    unit: indentUnit(prefix, suffix, languageId, editorUnit),
    isUnitOfEditor: editorUnit !== undefined && shownUnit(prefix, suffix) === undefined,
    eol,
    selected: selected && {
      ...selected,
      before: text.slice(selected.start, offset),
      behind: text.slice(offset, selected.end),
    },
  };
}

export function leadingSpace(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** The last line that is not blank. */
export function lastLine(text: string): string {
  const body = text.trimEnd();
  return body.slice(body.lastIndexOf('\n') + 1);
}

/** The first line after the cursor's own that is not blank. */
export function nextLine({ suffix, lineAfter }: CompletionContext): string | undefined {
  return /^.*\S.*$/m.exec(suffix.slice(lineAfter.length))?.[0];
}

/** The end of the character that a place is within, as half a surrogate pair is no text; the place itself otherwise. */
function characterEnd(text: string, at: number): number {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff ? at + 1 : at;
}

/** One level of indentation: from lines near the cursor, else as the editor is set, else as usual in the language. */
export function indentUnit(before: string, after: string, languageId: string, editorUnit?: string): string {
  return shownUnit(before, after) ?? editorUnit ?? usualIndentation(languageId);
}

/** One level of indentation in the lines near the cursor: a tab or some spaces; undefined if none is indented. */
function shownUnit(before: string, after: string): string | undefined {
  const lines = `${before.slice(-INDENTATION_REACH)}\n${after.slice(0, INDENTATION_REACH)}`.matchAll(
    /^([ \t]*)\S/gm,
  );
  let tabs = 0;
  let previous = 0;
  const steps = new Map<number, number>();
  for (const [, indentation = ''] of lines) {
    if (indentation.startsWith('\t')) tabs += 1;
    else {
      const step = indentation.length - previous;
      previous = indentation.length;
      // Larger steps are mostly alignment, and a step of one is the star of a block comment.
      if (step >= 2 && step <= 8) steps.set(step, (steps.get(step) ?? 0) + 1);
    }
  }
  const [spaces, times] = [...steps].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0] ?? [0, 0];
  if (tabs > 0 && tabs >= times) return '\t';
  return spaces > 0 ? ' '.repeat(spaces) : undefined;
}
