// The block of code that a suggestion opens or continues: decides, line by line, which line is outside the block and
// which one completes it, by brackets, tags, words and indentation. Brackets in strings and comments do not count.
import { leadingSpace, nextLine, type CompletionContext } from '../prompt/context';
import { closesBlock, elementsIn, hasElements, opensBlock } from '../syntax/language';
import { isText, mustClose, scan } from '../syntax/scanner';
import { cursorSyntax, openAbove, type CursorSyntax } from './cursorSyntax';
import { openedText, scanWithText } from './textSyntax';

/** Matches a line that begins with a closer. */
const CLOSER_LINE = /^\s*[)\]}]/;
/** Matches a line that opens a block or a list, so that closers after the cursor do not complete it. */
const OPENS_AT_END = /(?:[{([,]|=>)\s*$/;
/** Matches a line that begins a definition. */
const DEFINITION =
  /^\s*(?:(?:export|default|async|public|private|protected|static|pub)\s+)*(?:function|def|class|fn|func|fun|interface|struct|enum|impl|trait|module)\s/;

/**
 * In its methods, `line` is a line that is not blank, and `before` is the output before that line, '' for the cursor's
 * line. The cursor's line begins with the text before the cursor.
 */
export class SuggestedBlock {
  readonly #syntax: CursorSyntax;
  /**
   * Indentation, in columns, of the statement in the cursor's line or, if that is blank, of the first line that is not;
   * once a line of the output begins the block, of that line's statement.
   */
  #baseColumns: number | undefined;
  /** Whether a block has begun, so that the delimiters to close are known. */
  #hasBegun: boolean;
  /** Whether indentation ends the block, because no bracket has opened it. */
  #isIndented: boolean;
  /** Whether some lines are deeper than the first. */
  #hasDeeperLines = false;

  constructor(
    private readonly context: CompletionContext,
    private readonly extent: 'block' | 'paragraph' | 'answer',
  ) {
    const { lineBefore, languageId } = context;
    this.#syntax = cursorSyntax(context);
    if (lineBefore.trim() !== '') this.#baseColumns = this.#baseOf(lineBefore);
    const isInBrackets = this.#openBrackets('') > 0;
    this.#hasBegun = opensBlock(lineBefore, languageId) || (/,\s*$/.test(lineBefore) && isInBrackets);
    this.#isIndented = this.#hasBegun && !isInBrackets;
  }

  /** Returns whether a line is outside the block. `isAfterBlank` says that a blank line is directly above it. */
  isOutside(line: string, before: string, isAfterBlank: boolean): boolean {
    const base = this.#baseColumns;
    if (before === '' || base === undefined) return false;
    if (this.extent === 'block' && !this.#hasBegun) return false;
    if (openedText(before, this.#syntax) !== undefined) return false;
    const { languageId } = this.context;
    const columns = this.#columnsOf(line);
    const isEndTag = hasElements(languageId) && /^\s*<\//.test(line);
    const isCloser = isEndTag || CLOSER_LINE.test(line);
    const isOpen = isEndTag ? this.#openElements(before) > 0 : this.#openBrackets(before) > 0;
    if (this.extent === 'block') {
      if (columns > base || (isCloser && isOpen)) return false;
      return columns < base || !this.#isIndented || !closesBlock(line, languageId);
    }
    if (columns !== base) return columns < base;
    const isSeparate = isAfterBlank || (this.extent === 'answer' && DEFINITION.test(line));
    const isAfterEnd = isSeparate && (this.extent === 'paragraph' || this.#hasDeeperLines);
    return !isOpen && (isCloser || isAfterEnd);
  }

  /** Adds a complete line that is not outside. Returns whether it completes a block; false for the other extents. */
  add(line: string, before: string): boolean {
    const columns = this.#columnsOf(line);
    this.#baseColumns ??= columns;
    this.#hasDeeperLines ||= columns > this.#baseColumns;
    return this.extent === 'block' && this.#completes(line, before, columns <= this.#baseColumns);
  }

  /**
   * Returns whether a line leaves nothing of the block open. Also records how the block begins, at the line that opens
   * it. `isShallow` says that the line is not deeper than the statement that the block belongs to.
   */
  #completes(line: string, before: string, isShallow: boolean): boolean {
    const { lineBefore, lineAfter, languageId } = this.context;
    const isFirst = before === '';
    const output = isFirst ? line.slice(lineBefore.length) : before + line;
    const open = this.#openBrackets(isFirst && !OPENS_AT_END.test(line) ? output + lineAfter : output);
    // A heredoc begins only at the line end.
    if (openedText(`${output}\n`, this.#syntax) !== undefined) return false;
    const isOutermost = isShallow && openedText(before, this.#syntax) === undefined;
    if (isFirst || !this.#hasBegun || isOutermost) {
      this.#isIndented = open === 0 && opensBlock(line, languageId);
      // The document already has the block of this line below it.
      if (!this.#hasBegun && this.#columnsOf(nextLine(this.context) ?? '') > this.#columnsOf(line))
        return true;
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
    return this.#columnsOf(from ?? line);
  }

  /** Counts the elements that the cursor's line and the output leave open. */
  #openElements(output: string): number {
    return elementsIn(this.context.lineBefore + output).open.length;
  }

  /** Counts the brackets that the cursor's line and the output leave open. */
  #openBrackets(output: string): number {
    return scanWithText(output, this.#syntax).open.filter(
      (delimiter) => delimiter.at >= 0 && mustClose(delimiter) && !isText(delimiter),
    ).length;
  }

  /** Returns the width of a line's indentation, in columns. */
  #columnsOf(line: string): number {
    const tab = this.context.unit === '\t' ? 4 : this.context.unit.length;
    return leadingSpace(line).replaceAll('\t', ' '.repeat(tab)).length;
  }
}
