// Step: drops the first line that already follows the cursor's line, and all lines after it.
import { leadingSpace, nextLine, type CompletionContext } from '../prompt/context';
import { closesBlock, opensBlock } from '../syntax/language';

/** Lines that do not match, such as `});`, only end a block. They count as repeated only at the same indentation. */
const SEVERAL_WORD_CHARACTERS = /[\p{L}\p{N}_$][^]*[\p{L}\p{N}_$]/u;

export function dropLinesThatFollow(text: string, context: CompletionContext): string {
  const next = nextLine(context);
  if (next === undefined) return text;
  const lines = text.split('\n');
  const fullLines = lines.map((suggestedLine, i) =>
    i === 0 ? context.lineBefore + suggestedLine : suggestedLine,
  );
  const isEnd = !SEVERAL_WORD_CHARACTERS.test(next) || closesBlock(next, context.languageId);
  const repeated = lines.findIndex((suggestedLine, i) => {
    const line = fullLines[i] ?? '';
    // Within a block, a line can equal the line after the block, at another indentation.
    const same =
      isEnd || isInBlock(fullLines.slice(0, i + 1), context.languageId) ? isSameWithIndentation : isSameText;
    return suggestedLine.trim() !== '' && same(line, next);
  });
  return repeated < 0 ? text : lines.slice(0, repeated).join('\n');
}

/** Returns whether the last line is deeper than an earlier one that opens a block. */
function isInBlock(lines: readonly string[], languageId: string): boolean {
  const depth = leadingSpace(lines.at(-1) ?? '').length;
  return lines.slice(0, -1).some((line) => leadingSpace(line).length < depth && opensBlock(line, languageId));
}

function isSameWithIndentation(line: string, next: string): boolean {
  return line.trimEnd() === next.trimEnd();
}

function isSameText(line: string, next: string): boolean {
  return line.trim().replace(/\s+/g, ' ') === next.trim().replace(/\s+/g, ' ');
}
