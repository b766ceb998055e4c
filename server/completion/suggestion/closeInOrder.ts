// Closes what a text of several lines opens: elements or blocks, and the brackets within them.
import { leadingSpace, type CompletionContext } from '../prompt/context';
import { isText, mustClose } from '../syntax/scanner';
import { cursorSyntax } from './cursorSyntax';
import { scanWithText } from './textSyntax';

/** An element, a block or a bracket that is open, with offsets in the text from the start of the cursor's line on. */
interface Opened {
  readonly at: number;
  readonly end: number;
  readonly closer: string;
}

/**
 * Closes elements or blocks, outermost first, and the brackets that the text leaves open within them. Returns undefined
 * if it ends in a string or in a comment of several lines.
 */
export function closeInOrder(
  text: string,
  opened: readonly Opened[],
  context: CompletionContext,
): string | undefined {
  const outermost = opened[0]?.at ?? 0;
  const brackets = openBrackets(text, context)?.filter(({ at }) => at > outermost);
  return brackets && withClosers(text, [...opened, ...brackets], context);
}

/**
 * Adds the closers to a text, innermost first. Each is on a line of its own if its content begins on a new line. Adds
 * none to a line that ends with a comment.
 */
function withClosers(text: string, opened: readonly Opened[], context: CompletionContext): string {
  const head = context.lineBefore + text;
  const closers = opened
    .toSorted((a, b) => b.at - a.at)
    .map(({ end, closer }) =>
      /^[ \t]*\n/.test(head.slice(end)) ? `\n${leadingSpace(lineTo(head, end))}${closer}` : closer,
    );
  const isInComment = scanWithText(text, cursorSyntax(context)).open.some(isText);
  return isInComment && closers[0]?.startsWith('\n') !== true ? text : text + closers.join('');
}

/** Returns the text of a line up to an offset. */
export function lineTo(text: string, at: number): string {
  return text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
}

/** Returns the brackets that a text leaves open; undefined if it ends in a string or in a comment of several lines. */
function openBrackets(text: string, context: CompletionContext): Opened[] | undefined {
  const { open } = scanWithText(text, cursorSyntax(context));
  if (open.some((delimiter) => isText(delimiter) && mustClose(delimiter))) return undefined;
  return open.filter((delimiter) => delimiter.at >= context.lineBefore.length && mustClose(delimiter));
}
