// Step: drops the lines from the first one on that already follows the cursor's line.
import { leadingSpace, nextLine, type CompletionContext } from '../prompt/context';
import { closesBlock, opensBlock } from '../syntax/language';

/** Lines that only end a block occur everywhere, so they are equal only at the same indentation. */
const SEVERAL_WORD_CHARACTERS = /[\p{L}\p{N}_$][^]*[\p{L}\p{N}_$]/u;

/** Cuts before the first line that already follows the cursor's line. */
export function dropLinesThatFollow(text: string, context: CompletionContext): string {
  const next = nextLine(context);
  if (next === undefined) return text;
  const lines = text.split('\n');
  // The cursor's line is not part of the suggestion if it was there before.
  const whole = lines.map((own, i) => (i === 0 ? context.lineBefore + own : own));
  const isEnd = !SEVERAL_WORD_CHARACTERS.test(next) || closesBlock(next, context.languageId);
  const known = lines.findIndex((own, i) => {
    const line = whole[i] ?? '';
    // The line after a block can also occur within the block.
    const same = isEnd || isInBlock(whole.slice(0, i + 1), context.languageId) ? sameAsItIs : sameLine;
    return own.trim() !== '' && same(line, next);
  });
  return known < 0 ? text : lines.slice(0, known).join('\n');
}

/** Whether the last line lies deeper than one before it that opens a block. */
function isInBlock(lines: readonly string[], languageId: string): boolean {
  const depth = leadingSpace(lines.at(-1) ?? '').length;
  return lines.slice(0, -1).some((line) => leadingSpace(line).length < depth && opensBlock(line, languageId));
}

function sameAsItIs(line: string, next: string): boolean {
  return line.trimEnd() === next.trimEnd();
}

function sameLine(line: string, next: string): boolean {
  return line.trim().replace(/\s+/g, ' ') === next.trim().replace(/\s+/g, ' ');
}
