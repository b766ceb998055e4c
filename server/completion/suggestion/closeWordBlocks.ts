// Step: ends the blocks that a text of several lines begins with words and leaves open, as an output that was cut off
// does: with `end`, `fi`, `done` or `esac`. balanceBrackets, which comes later, closes the brackets around them.
import { leadingSpace, type CompletionContext } from '../prompt/context';
import { closesBlock, endsBlock, isComment, opensBlock } from '../syntax/language';
import { closeInOrder } from './closeInOrder';

/** Patterns of lines that begin blocks, with the words that end these. */
const ENDS: Readonly<Record<string, readonly (readonly [begins: RegExp, word: string])[]>> = {
  __proto__: null as never,
  ruby: [[/[^([{]\s*$/, 'end']],
  julia: [[/[^([{]\s*$/, 'end']],
  lua: [[/(?:\b(?:do|then)|\))\s*$/, 'end']],
  shellscript: [
    [/\bthen\s*$/, 'fi'],
    [/\bdo\s*$/, 'done'],
    [/\bin\s*$/, 'esac'],
  ],
};

interface Block {
  readonly depth: number;
  readonly at: number;
  readonly end: number;
  readonly closer: string;
}

/** Adds nothing if the document below has the end already, or if the last line only begins a block. */
export function closeWordBlocks(text: string, context: CompletionContext, isPart = false): string {
  const { languageId, lineBefore } = context;
  if (isPart || ENDS[languageId] === undefined || !text.includes('\n')) return text;
  const body = text.trimEnd();
  const blocks = openBlocks(body, context).filter(({ depth }) => !endsBelow(depth, context));
  if (blocks.length === 0 || blocks.at(-1)?.end === lineBefore.length + body.length) return text;
  return closeInOrder(body, blocks, context) ?? text;
}

/** Returns the blocks that lines of the text leave open, outermost first. The indentation shows where others end. */
function openBlocks(text: string, { languageId, lineBefore }: CompletionContext): Block[] {
  const blocks: Block[] = [];
  let end = -1;
  for (const [i, line] of (lineBefore + text).split('\n').entries()) {
    end += 1 + line.length;
    if (line.trim() === '' || isComment(line, languageId)) continue;
    const depth = leadingSpace(line).length;
    const isElse = closesBlock(line, languageId) && !endsBlock(line, languageId);
    while ((blocks.at(-1)?.depth ?? -1) > (isElse ? depth : depth - 1)) blocks.pop();
    const closer = endOf(line, languageId);
    const isOfText = i > 0 || endOf(lineBefore, languageId) === undefined;
    if (closer !== undefined && isOfText) blocks.push({ depth, at: end - 1, end, closer });
  }
  return blocks;
}

/** Returns the word that ends the block that a line begins; undefined if it begins none with words. */
function endOf(line: string, languageId: string): string | undefined {
  if (!opensBlock(line, languageId) || closesBlock(line, languageId)) return undefined;
  return ENDS[languageId]?.find(([begins]) => begins.test(line))?.[1];
}

/** Returns whether the first line below that is not deeper ends a block of this depth. */
function endsBelow(depth: number, { below, languageId }: CompletionContext): boolean {
  const isOutside = (line: string): boolean => line.trim() !== '' && leadingSpace(line).length <= depth;
  const following = below.split('\n').find(isOutside) ?? '';
  return leadingSpace(following).length === depth && closesBlock(following, languageId);
}
