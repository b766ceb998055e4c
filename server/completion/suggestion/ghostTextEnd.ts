// Finds the end of ghost text: the place at which an output has reached the extent of the suggestion, or repeats itself
// or the document. The steps of cleanSuggestion.ts come afterwards.
import { nextLine, type CompletionContext } from '../prompt/context';
import { cursorSyntax } from './cursorSyntax';
import type { FinishReason } from '../../engine/request/stats';
import { lengthensEntry } from '../prompt/selectedEntry';
import { canCloseBlock, opensBlock } from '../syntax/language';
import { onlyBeginsEntry } from './dropLinesThatFollow';
import { commentCloser, type Extent } from './extent';
import { runsOn, MAX_REPEATS } from './runsOn';
import { SuggestedBlock } from './suggestedBlock';
import { openedText } from './textSyntax';
import { withoutDangling } from './withoutDangling';

/** Matches a line that belongs to the lines above it: one that begins with a closer, and an opener on its own. */
const CONTINUES = /^\s*(?:[)\]}]|[{([]\s*$)/;

/** Matches half of an emoji at the end of a text: half of a flag, or a joiner that expects another emoji. */
const HALF_EMOJI = /(?:\u200D|(?<=(?<!\p{RI})(?:\p{RI}{2})*)\p{RI})$/u;

/** Finds the end by syntax and indentation while the output arrives in pieces of any size. */
export class GhostTextEnd {
  /** First line after the cursor's line that is not blank. */
  readonly #nextLine: string | undefined;
  /** Undefined for a line or a comment, whose ends need no block. */
  readonly #block: SuggestedBlock | undefined;
  #text = '';
  /** Offset of the incomplete last line. */
  #lineStart = 0;
  /** Number of characters that are certain to stay: up to the end of the last complete line with text. */
  certain = 0;
  /** Number of blank lines directly before the last line. */
  #blankCount = 0;
  /** Length of the ghost text, once it is known. */
  #cut: number | undefined;

  constructor(
    private readonly context: CompletionContext,
    private readonly extent: Extent,
  ) {
    this.#nextLine = nextLine(context);
    if (extent !== 'line' && extent !== 'comment') this.#block = new SuggestedBlock(context, extent);
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
      const isAttribute = /^\s*@/.test(line) || onlyBeginsEntry(line, '', languageId);
      return isAttribute || (opensBlock(line, languageId) && !CONTINUES.test(line));
    };
    const [first] = lineEnds;
    if (first !== undefined) return lineEnds.findLast((end) => !isBlockHeader(end)) ?? first;
    if (reason === 'repetition') {
      const kept = text.slice(0, Math.max(0, runsOn(text, this.context, true, MAX_REPEATS) ?? 0)).trimEnd();
      return withoutDangling(kept) === kept ? kept.length : 0;
    }
    // The end of a block header, or of text in a string, can look like a dangling operator but is complete.
    const isInText = openedText(text, cursorSyntax(this.context)) !== undefined;
    const canStay = isInText || opensBlock(this.context.lineBefore + text, languageId);
    const end = text.search(HALF_EMOJI);
    const length = end < 0 ? text.length : end;
    return canStay ? length : Math.min(length, withoutDangling(text).length);
  }

  /** Handles the line that ends at offset `end`, and returns the length of the ghost text if the line ends it. */
  #endLine(end: number): number | undefined {
    const { lineBefore, languageId, above } = this.context;
    const before = this.#text.slice(0, this.#lineStart);
    const isFirst = before === '';
    const currentLine = this.#text.slice(this.#lineStart, end);
    const line = isFirst ? lineBefore + currentLine : currentLine;
    if (currentLine.trim() === '') return this.#blankLine(isFirst);
    const commentCut = this.#commentCut();
    if (commentCut !== undefined && commentCut <= end) return commentCut;
    if (this.#block?.isOutside(line, before, this.#blankCount > 0)) return this.certain;
    // dropLinesThatFollow decides about a line that only begins an entry, once the lines after it are known.
    if (line.trimEnd() === this.#nextLine?.trimEnd() && !onlyBeginsEntry(line, above + before, languageId))
      return this.certain;
    const cut = runsOn(this.#text.slice(0, end), this.context);
    if (cut !== undefined) return cut;
    this.#blankCount = 0;
    this.certain = end;
    return this.extent === 'line' || this.#block?.add(line, before) ? end : undefined;
  }

  /**
   * Handles a blank line, and returns the length of the ghost text if the line ends it. The second in a row does. A
   * blank first line leaves no ghost text (0) if its line end would move the text after the cursor.
   */
  #blankLine(isFirst: boolean): number | undefined {
    const { lineBefore, lineAfter } = this.context;
    if (isFirst) {
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
    const before = this.#text.slice(0, this.#lineStart);
    const line = this.#text.slice(this.#lineStart);
    if (before === '' || line.trim() === '' || canCloseBlock(line, this.context.languageId)) return undefined;
    return this.#block?.isOutside(line, before, this.#blankCount > 0) ? this.certain : undefined;
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
