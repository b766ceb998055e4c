// The document around a cursor as one readonly value, computed once per request. Later stages read only this value, not
// the document. Its prefix and suffix have \n for line ends.
import { splitsCharacter } from '../../rules/splitsCharacter';
import { usualIndentation } from '../syntax/language';
import { OpenDelimiters } from '../syntax/openDelimiters';
import { openingOf } from './attributeEntry';
import { indentUnit } from './indentUnit';
import { lineEndOf, withLf, type LineEnd } from './lineEnds';

/** Reason why a document must stay out of every prompt. */
export type Ineligibility = 'secret' | 'binary' | 'minified' | 'large';

/** A document at one version. */
export interface DocumentSnapshot {
  readonly uri: string;
  /** Relative path or base name, as prompts show it to the model. */
  readonly fileName: string;
  readonly languageId: string;
  readonly text: string;
  /**
   * Reason to keep it out of prompts, judged by its name and text; undefined without one. `whyIneligible` also judges
   * its path.
   */
  readonly ineligibleText?: Ineligibility | undefined;
}

/** The selected entry of the IntelliSense list: its text would replace the document from `start` to `end`. */
export interface SelectedItem {
  /** Offset of the cursor or before it. */
  readonly start: number;
  /** Offset of the cursor or after it, as with the quote that closes a key in JSON. */
  readonly end: number;
  readonly text: string;
  /** Whether the user has moved to this entry; otherwise VS Code has selected it as the first of the list. */
  readonly isChosen?: boolean;
}

/** The selected entry at a cursor. */
interface SelectedEntry extends SelectedItem {
  /** Parts of the range that it replaces before and after the cursor. */
  readonly before: string;
  readonly after: string;
  /** Part of its text before the cursor once it is accepted: all, except for an attribute without a value. */
  readonly opening: string;
}

/** State of the editor at a cursor. */
interface CursorOptions {
  readonly selected?: SelectedItem | undefined;
  /** One level of indentation in the editor's settings, used if the document shows none. */
  readonly editorUnit?: string | undefined;
  /** Open delimiters of the last context: if the user only types on, only the new text is scanned. */
  readonly openDelimiters?: OpenDelimiters;
}

export interface CompletionContext {
  readonly uri: string;
  readonly fileName: string;
  readonly languageId: string;
  /** Offset of the cursor in the document. */
  readonly offset: number;
  /**
   * Text before the cursor, at most MAX_PREFIX characters. If an entry is selected, its opening replaces
   * `selected.before` at the end of the text.
   */
  readonly prefix: string;
  /**
   * Text after the cursor, and after the range that the selected entry replaces; at most MAX_SUFFIX characters. Begins
   * with the rest of that entry.
   */
  readonly suffix: string;
  /** Text of the document before the prefix, read to find open delimiters, merge conflicts and invisible characters. */
  readonly beginning: string;
  /** Whether the suffix reaches the end of the document. */
  readonly reachesEnd: boolean;
  /** Finds the delimiters that the text above the cursor's line leaves open. */
  readonly openDelimiters: OpenDelimiters;
  /** The part of the prefix above the cursor's line, with the line end. */
  readonly above: string;
  /** The part of the suffix below the cursor's line, from the line end. */
  readonly below: string;
  /** The cursor's line before the cursor. */
  readonly lineBefore: string;
  /** The cursor's line after the cursor. */
  readonly lineAfter: string;
  /** One level of indentation: a tab or some spaces. */
  readonly unit: string;
  /** Whether the unit is the editor's, because the document shows no indentation. */
  readonly isUnitOfEditor: boolean;
  readonly eol: LineEnd;
  readonly selected: SelectedEntry | undefined;
}

/**
 * Maximum characters of the prefix and of the suffix. Only snippets of places that the user has left can quote text
 * further away.
 */
export const MAX_PREFIX = 32_768;
export const MAX_SUFFIX = 16_384;
/** The start of a cut prefix moves in steps of this many characters, so typing rarely moves it. */
const PREFIX_STEP = 4_096;

/**
 * Describes the cursor at offset `at` of the document. An offset between the halves of a character is moved to its end.
 */
export function completionContext(
  { uri, fileName, languageId, text }: DocumentSnapshot,
  at: number,
  { selected, editorUnit, openDelimiters = new OpenDelimiters() }: CursorOptions = {},
): CompletionContext {
  const offset = characterEnd(text, at);
  const beyond = Math.max(0, offset - MAX_PREFIX);
  const from = characterEnd(text, Math.ceil(beyond / PREFIX_STEP) * PREFIX_STEP);
  const to = characterEnd(text, Math.min(text.length, offset + MAX_SUFFIX));
  const entry = selected && {
    ...selected,
    before: text.slice(selected.start, offset),
    after: text.slice(offset, selected.end),
    opening: openingOf(selected.text, languageId),
  };
  const head = text.slice(from, entry?.start ?? offset) + (entry?.opening ?? '');
  const rest = (entry?.text.slice(entry.opening.length) ?? '') + text.slice(entry?.end ?? offset, to);
  const prefix = withLf(head);
  const suffix = withLf(rest);
  const lineStart = prefix.lastIndexOf('\n') + 1;
  const lineAfter = /^[^\n]*/.exec(suffix)?.[0] ?? '';
  const unit = indentUnit(prefix, suffix);
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
    above: prefix.slice(0, lineStart),
    below: suffix.slice(lineAfter.length),
    lineBefore: prefix.slice(lineStart),
    lineAfter,
    unit: unit ?? editorUnit ?? usualIndentation(languageId),
    isUnitOfEditor: editorUnit !== undefined && unit === undefined,
    eol: lineEndOf(head + rest),
    selected: entry,
  };
}

/** Returns the indentation of a line. */
export function leadingSpace(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** Removes indentation from a line, at most `length` characters of it. */
export function outdented(line: string, length: number): string {
  return line.slice(Math.min(length, leadingSpace(line).length));
}

/** Returns the last line that is not blank. */
export function lastLine(text: string): string {
  const body = text.trimEnd();
  return body.slice(body.lastIndexOf('\n') + 1);
}

/** Returns the first line after the cursor's line that is not blank. */
export function nextLine({ below }: CompletionContext): string | undefined {
  return /(?<=\n)[^\n]*\S[^\n]*/.exec(below)?.[0];
}

/** Returns `at`, or the end of the character that it splits. */
function characterEnd(text: string, at: number): number {
  return splitsCharacter(text, at) ? at + 1 : at;
}
