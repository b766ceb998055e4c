// Finds the end of ghost text: decides how much a suggestion can span at its cursor, and where an output has reached
// that. Brackets in strings and comments do not count. The steps of cleanSuggestion.ts come afterwards.
import type { ServerSettings } from '../../rules/serverSettings';
import { CLOSERS } from './replacedClosers';
import { withoutDangling } from './withoutDangling';
import { leadingSpace, nextLine, type CompletionContext } from '../prompt/context';
import { cursorSyntax, openAbove } from './cursorSyntax';
import type { FinishReason } from '../../engine/request/stats';
import { lengthensEntry } from '../prompt/selectedEntry';
import {
  closesBlock,
  elementsIn,
  hasElements,
  isBetweenTags,
  isComment,
  canCloseBlock,
  opensBlock,
} from '../syntax/language';
import { onlyBeginsEntry } from './dropLinesThatFollow';
import { runsOn, MAX_REPEATS } from './runsOn';
import { isText, mustClose, scan, type Scan } from '../syntax/scanner';

export type Multiline = ServerSettings['multiline'];

/**
 * How much a suggestion can span at a cursor:
 * - line: up to the end of the line, whatever it opens
 * - block: the line and the block that it opens, until that is closed or the indentation returns
 * - paragraph: until a blank line or a dedent
 * - answer: like paragraph, but across single blank lines until a block has ended, such as one function
 * - comment: up to the end of the comment or documentation string that the cursor opens
 */
export type Extent = 'line' | 'block' | 'paragraph' | 'answer' | 'comment';

/** Matches a line that begins with a closer. */
const CLOSER_LINE = /^\s*[)\]}]/;
/** Matches a line that opens a block or a list, so that closers after the cursor do not complete it. */
const OPENS_AT_END = /(?:[{([,]|=>)\s*$/;

/** Returns the extent at a cursor. Only the cursor's line counts, so that it costs nothing and users can predict it. */
export function extentAt(context: CompletionContext, multiline: Multiline): Extent {
  const { lineBefore, lineAfter, languageId } = context;
  const isBeforeClosers = CLOSERS.test(lineAfter) || isBetweenTags(lineBefore, lineAfter, languageId);
  if (multiline === 'never' || !isBeforeClosers) return 'line';
  if (commentCloser(context) !== undefined) return 'comment';
  if (lineBefore.trim() === '') return 'paragraph';
  if (isComment(lineBefore, languageId)) return 'line';
  return multiline === 'auto' || opensBlock(lineBefore, languageId) ? 'block' : 'paragraph';
}

/** Returns the closer of the comment or documentation string that the cursor's line opens. */
function commentCloser({ lineBefore, languageId }: CompletionContext): string | undefined {
  const before = lineBefore.trim();
  if (languageId === 'python') return /^[rRuU]?("""|''')(?!.*\1)/.exec(before)?.[1];
  return /^\/\*\*(?!.*\*\/)/.test(before) ? '*/' : undefined;
}

/** Matches half of an emoji at the end of a text: half of a flag, or a joiner that expects another emoji. */
const HALF_EMOJI = /(?:\u200D|(?<=(?<!\p{RI})(?:\p{RI}{2})*)\p{RI})$/u;

/** Matches a line that begins a definition. */
const DEFINITION =
  /^\s*(?:(?:export|default|async|public|private|protected|static|pub)\s+)*(?:function|def|class|fn|func|fun|interface|struct|enum|impl|trait|module)\s/;

/** Finds the end by syntax and indentation while the output arrives in pieces of any size. */
export class GhostTextEnd {
  /** First line after the cursor's line that is not blank. */
  readonly #nextLine: string | undefined;
  #text = '';
  /** Offset of the incomplete last line. */
  #lineStart = 0;
  /** Number of characters that are certain to stay: up to the end of the last line that is not blank. */
  certain = 0;
  /** Number of blank lines directly before the last line. */
  #blankCount = 0;
  /**
   * Indentation, in columns, of the statement in the cursor's line or, if that is blank, of the first line that is not;
   * once a line of the text begins the block, of that line's statement.
   */
  #baseColumns: number | undefined;
  /** Whether a block has begun, so that the delimiters to close are known. */
  #hasBegun: boolean;
  /** Whether indentation ends the block, because no bracket has opened it. */
  #isIndented: boolean;
  /** Whether some lines are deeper than the first. */
  #hasBlock = false;
  /** Length of the ghost text, once it is known. */
  #cut: number | undefined;

  constructor(
    private readonly context: CompletionContext,
    private readonly extent: Extent,
  ) {
    const { lineBefore, languageId } = context;
    this.#nextLine = nextLine(context);
    if (lineBefore.trim() !== '') this.#baseColumns = this.#baseOf(lineBefore);
    this.#hasBegun =
      opensBlock(lineBefore, languageId) || (/,\s*$/.test(lineBefore) && this.#openBrackets(0) > 0);
    this.#isIndented = this.#hasBegun && this.#openBrackets(0) === 0;
  }

  /** Adds a piece of output, and returns the length of the ghost text as soon as it is certain. */
  push(piece: string): number | undefined {
    this.#text += piece;
    if (lengthensEntry(this.#text, this.context)) this.#cut = 0;
    while (this.#cut === undefined) {
      const end = this.#text.indexOf('\n', this.#lineStart);
      if (end < 0) break;
      this.#cut = this.#endLine(end);
      this.#lineStart = end + 1;
    }
    return (this.#cut ??= this.#commentCut() ?? this.#earlyCut());
  }

  /**
   * Returns the length of the ghost text at the end of the output. The last line is complete too, unless the output was
   * cut off: then `reason` is 'length' or 'repetition'.
   */
  finish(reason?: FinishReason): number {
    if (this.#cut !== undefined) return this.#cut;
    const isCutOff = reason === 'length' || reason === 'repetition';
    const keptLength = isCutOff ? this.#completeLength(reason) : this.#text.length;
    this.#cut = Math.min(this.#endLine(this.#text.length) ?? keptLength, keptLength);
    return this.#cut;
  }

  /**
   * Returns the length to keep of an output that was cut off for this reason: complete lines, without a last line that
   * only opens a block. A single line stays even if it is incomplete, but without repetitions.
   */
  #completeLength(reason: FinishReason): number {
    const text = this.#text;
    const { languageId } = this.context;
    const lineEnds = [...text.matchAll(/\n/g)]
      .map(({ index }) => index)
      .filter((end) => text.slice(0, end).trim() !== '');
    const isBlockHeader = (end: number): boolean => {
      const line = text.slice(text.lastIndexOf('\n', end - 1) + 1, end);
      return /^\s*@/.test(line) || (opensBlock(line, languageId) && !/[{([]\s*$/.test(line));
    };
    const [first] = lineEnds;
    if (first !== undefined) return lineEnds.findLast((end) => !isBlockHeader(end)) ?? first;
    if (reason === 'repetition') {
      const kept = text.slice(0, Math.max(0, runsOn(text, this.context, true, MAX_REPEATS) ?? 0)).trimEnd();
      return withoutDangling(kept) === kept ? kept.length : 0;
    }
    // The end of a block header, or of text in a string, can look like a dangling operator but is complete.
    const canStay = opensBlock(this.context.lineBefore + text, languageId) || this.#inString(text.length);
    const end = text.search(HALF_EMOJI);
    const length = end < 0 ? text.length : end;
    return canStay ? length : Math.min(length, withoutDangling(text).length);
  }

  /** Handles the line that ends at offset `end`, and returns the length of the ghost text if the line ends it. */
  #endLine(end: number): number | undefined {
    const { lineBefore, languageId } = this.context;
    const isFirst = this.#lineStart === 0;
    const currentLine = this.#text.slice(this.#lineStart, end);
    const line = isFirst ? lineBefore + currentLine : currentLine;
    if (currentLine.trim() === '') return this.#blankLine(isFirst);
    const commentCut = this.#commentCut();
    if (commentCut !== undefined && commentCut <= end) return commentCut;
    if (this.extent !== 'comment' && this.#isOutside(line, isFirst)) return this.certain;
    // dropLinesThatFollow decides about a line that only begins an entry, once the lines after it are known.
    if (
      line.trimEnd() === this.#nextLine?.trimEnd() &&
      !onlyBeginsEntry(line, this.#beforeLine(), languageId)
    )
      return this.certain;
    const cut = runsOn(this.#text.slice(0, end), this.context);
    if (cut !== undefined) return cut;
    const columns = this.#columnsOf(leadingSpace(line));
    this.#baseColumns ??= columns;
    this.#hasBlock ||= columns > this.#baseColumns;
    this.#blankCount = 0;
    this.certain = end;
    return this.extent === 'line' || (this.extent === 'block' && this.#isComplete(line, end))
      ? end
      : undefined;
  }

  /** Returns the text before the last line. */
  #beforeLine(): string {
    return this.context.above + this.#text.slice(0, this.#lineStart);
  }

  /**
   * Handles a blank line, and returns the length of the ghost text if the line ends it. The second in a row does. A
   * blank first line leaves no ghost text (0) if its line end would move the text after the cursor.
   */
  #blankLine(isFirst: boolean): number | undefined {
    const { lineBefore, lineAfter } = this.context;
    if (isFirst) {
      // A line end would move the text after the cursor to another line.
      if (this.extent === 'line' && lineAfter.trim() !== '') return 0;
      if (lineBefore.trim() !== '') return undefined;
    }
    this.#blankCount += 1;
    return this.#blankCount === 2 ? this.certain : undefined;
  }

  /**
   * Returns the length of the ghost text if the beginning of the last line already ends it: the line is outside the
   * block, or a list in it repeats itself.
   */
  #earlyCut(): number | undefined {
    const cut = runsOn(this.#text, this.context, false);
    if (cut !== undefined) return cut;
    const line = this.#text.slice(this.#lineStart);
    if (this.#lineStart === 0 || line.trim() === '' || this.extent === 'comment') return undefined;
    if (canCloseBlock(line, this.context.languageId)) return undefined;
    return this.#isOutside(line, false) ? this.certain : undefined;
  }

  /** Returns the length of the ghost text if it completes a comment whose closer has arrived. */
  #commentCut(): number | undefined {
    const closer = this.extent === 'comment' ? commentCloser(this.context) : undefined;
    const at = closer === undefined ? -1 : this.#text.indexOf(closer);
    if (closer === undefined || at < 0) return undefined;
    const commentEnd = at + closer.length;
    const before = this.#text.lastIndexOf('\n', at);
    const line = this.#text.slice(before + 1, commentEnd);
    // The editor can have closed the comment already.
    return before >= 0 && line === this.#nextLine?.trimEnd() ? before : commentEnd;
  }

  /** Returns whether a line, which is not blank, is outside the cursor's block. */
  #isOutside(line: string, isFirst: boolean): boolean {
    if (isFirst || this.#baseColumns === undefined || this.extent === 'line') return false;
    if (this.extent === 'block' && !this.#hasBegun) return false;
    if (this.#inString(this.#lineStart)) return false;
    const columns = this.#columnsOf(leadingSpace(line));
    const isEndTag = hasElements(this.context.languageId) && /^\s*<\//.test(line);
    const isCloser = isEndTag || CLOSER_LINE.test(line);
    const isOpen = isEndTag
      ? this.#openElements(this.#lineStart) > 0
      : this.#openBrackets(this.#lineStart) > 0;
    if (this.extent === 'block') {
      if (columns > this.#baseColumns || (isCloser && isOpen)) return false;
      return columns < this.#baseColumns || !this.#isIndented || !closesBlock(line, this.context.languageId);
    }
    if (columns !== this.#baseColumns) return columns < this.#baseColumns;
    const isSeparate = this.#blankCount > 0 || (this.extent === 'answer' && DEFINITION.test(line));
    const isAfterEnd = isSeparate && (this.extent === 'paragraph' || this.#hasBlock);
    return !isOpen && (isCloser || isAfterEnd);
  }

  /**
   * Returns whether `line`, which ends at offset `end`, completes the block: its lines leave nothing open. Also records
   * how the block begins, at the line that opens it.
   */
  #isComplete(line: string, end: number): boolean {
    const { lineAfter, languageId } = this.context;
    const columns = this.#columnsOf(leadingSpace(line));
    const isFirst = this.#lineStart === 0;
    const open =
      isFirst && !OPENS_AT_END.test(line) ? this.#openBrackets(end, lineAfter) : this.#openBrackets(end);
    // A heredoc begins only at the line end.
    if (this.#inString(end + 1)) return false;
    const isOutermost = columns <= (this.#baseColumns ?? 0) && !this.#inString(this.#lineStart);
    if (isFirst || !this.#hasBegun || isOutermost) {
      this.#isIndented = open === 0 && opensBlock(line, languageId);
      // The document already has the block of this line below it.
      if (!this.#hasBegun && this.#columnsOf(leadingSpace(this.#nextLine ?? '')) > columns) return true;
      if (!this.#hasBegun) this.#baseColumns = this.#baseOf(line);
      this.#hasBegun = true;
    }
    return !this.#isIndented && open === 0;
  }

  /**
   * Returns the indentation, in columns, of the statement that ends with this line: that of the line that opened its
   * brackets.
   */
  #baseOf(line: string): number {
    const { events } = scan(line, this.context.languageId);
    const closed = CLOSER_LINE.test(line) ? 0 : events.filter(({ kind }) => kind === 'stray').length;
    const above = openAbove(this.context);
    const opener = closed === 0 ? undefined : above.open.filter(mustClose).at(-closed);
    const from = opener && above.text.slice(above.text.lastIndexOf('\n', opener.at) + 1);
    return this.#columnsOf(leadingSpace(from ?? line));
  }

  /** Returns whether a comment, template or string that the text has begun is open at `end`. */
  #inString(end: number): boolean {
    const cursor = this.context.lineBefore.length;
    return this.#scan(end).open.some(
      (delimiter) => delimiter.at >= cursor && mustClose(delimiter) && isText(delimiter),
    );
  }

  /** Counts the elements that the cursor's line and the text up to `end` leave open. */
  #openElements(end: number): number {
    return elementsIn(this.context.lineBefore + this.#text.slice(0, end)).open.length;
  }

  /** Counts the brackets that the cursor's line and the text up to `end` leave open. */
  #openBrackets(end: number, after = ''): number {
    return this.#scan(end, after).open.filter(
      (delimiter) => delimiter.at >= 0 && mustClose(delimiter) && !isText(delimiter),
    ).length;
  }

  /** Scans the cursor's line with the text up to `end`, followed by `after`. */
  #scan(end: number, after = ''): Scan {
    const { lineBefore, languageId } = this.context;
    const { openAtLineStart } = cursorSyntax(this.context);
    const text = lineBefore + this.#text.slice(0, end) + after;
    return scan(text, languageId, { from: 0, open: openAtLineStart });
  }

  /** Returns the width of white space, in columns. */
  #columnsOf(space: string): number {
    const tab = this.context.unit === '\t' ? 4 : this.context.unit.length;
    return space.replaceAll('\t', ' '.repeat(tab)).length;
  }
}

/**
 * Reads an output until all ends are found, and returns the ghost text up to each end. `reason` returns why the output
 * has ended. `onRead` is called with the output so far, and with the number of its characters that are certain to be in
 * the ghost text up to `ends[0]`.
 */
export async function readCuts(
  pieces: AsyncIterable<string>,
  ends: readonly GhostTextEnd[],
  reason: () => FinishReason | undefined,
  onRead: (output: string, certain: number) => void = () => undefined,
): Promise<{ readonly output: string; readonly cuts: readonly string[] }> {
  let output = '';
  for await (const piece of pieces) {
    output += piece;
    const found = ends.map((end) => end.push(piece));
    if (found.every((cut) => cut !== undefined)) break;
    onRead(output, found[0] ?? ends[0]?.certain ?? 0);
  }
  const ended = reason();
  return { output, cuts: ends.map((end) => output.slice(0, end.finish(ended))) };
}
