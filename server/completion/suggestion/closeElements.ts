// Step: adds the end tags of elements that a text of several lines begins and leaves open, as an output that was cut off
// does. balanceBrackets, which comes later, closes the brackets around them.
import { leadingSpace, type CompletionContext } from '../prompt/context';
import { hasElements, tagsIn } from '../syntax/language';
import { isText, mustClose } from '../syntax/scanner';
import { cursorSyntax } from './cursorSyntax';
import { scanWithText } from './textSyntax';

/** Matches the text before an element in its line, in a language in which other code can resemble a tag. */
const BEFORE_ELEMENT = /(?:^|[({[>?:,]|=>|&&|\|\||\breturn)\s*$/;
/** Languages in which all tags are those of elements. */
const MARKUP = new Set('html xml vue svelte'.split(' '));
/** Matches the last line of a text if it only begins something. */
const HOLLOW = /[([{<]$|=>$/;

/** Matches a tag at the end of a text that begins a line and has no end. */
const HALF_TAG = /\n[ \t]*<[A-Za-z][\w.:-]*(?:\s(?:[^<>"'{}]|"[^"]*"|'[^']*'|\{[^{}]*\})*)?$/;

/** Matches elements of HTML that the next one of their name ends. */
const ENDED_BY_NEXT = /^(?:p|li|dt|dd|tr|td|th|option)$/;

/** Something that the text leaves open: an element, or a bracket within one. */
interface Opened {
  readonly at: number;
  readonly end: number;
  readonly closer: string;
}

/** Adds nothing if the document after the cursor has an end tag already, or if the innermost element has no content. */
export function closeElements(text: string, context: CompletionContext, isPart = false): string {
  const { languageId, lineBefore } = context;
  if (isPart || !hasElements(languageId) || !text.includes('\n')) return text;
  const body = text.replace(HALF_TAG, '').trimEnd();
  const head = lineBefore + body;
  const elements = tagsIn(head).open.filter(({ at }) => at >= lineBefore.length);
  const [outermost] = elements;
  if (outermost === undefined || elements.at(-1)?.end === head.length || HOLLOW.test(head)) return text;
  const isElement = ({ at, end }: { readonly at: number; readonly end: number }): boolean =>
    MARKUP.has(languageId) || (BEFORE_ELEMENT.test(lineTo(head, at)) && !head.startsWith('(', end));
  const isEndedByNext = elements.some(
    ({ name }, i) => name === elements[i - 1]?.name && ENDED_BY_NEXT.test(name),
  );
  if (isEndedByNext || !elements.every(isElement) || elements.some(({ name }) => endsBelow(name, context)))
    return text;
  const brackets = openBrackets(body, context);
  if (brackets === undefined) return text;
  const opened: Opened[] = [
    ...elements.map(({ name, ...range }) => ({ ...range, closer: `</${name}>` })),
    ...brackets.filter(({ at }) => at > outermost.at),
  ].sort((a, b) => b.at - a.at);
  return body + opened.map((one) => closing(one, head)).join('');
}

/** Returns the text of a line up to an offset. */
function lineTo(text: string, at: number): string {
  return text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
}

/** Returns a closer, on a line of its own if the content begins on a new line. */
function closing({ at, end, closer }: Opened, head: string): string {
  return /^[ \t]*\n/.test(head.slice(end))
    ? `\n${leadingSpace(lineTo(head, at) + head.slice(at))}${closer}`
    : closer;
}

/** Returns the brackets that a text leaves open; undefined if the cursor or the end of the text is in no element. */
function openBrackets(text: string, context: CompletionContext) {
  const syntax = cursorSyntax(context);
  const isInCode = MARKUP.has(context.languageId) && syntax.open.length > 0;
  const { open } = scanWithText(text, syntax);
  if (isInCode || open.some(isText)) return undefined;
  return open.filter((delimiter) => delimiter.at >= context.lineBefore.length && mustClose(delimiter));
}

/** Returns whether the document has more end tags of a name after the cursor than elements open before it. */
function endsBelow(name: string, { prefix, suffix }: CompletionContext): boolean {
  const openCount = tagsIn(prefix).open.filter((element) => element.name === name).length;
  const ends = tagsIn(suffix).foreignEnds.filter((at) => suffix.startsWith(`</${name}>`, at));
  return ends.length > openCount;
}
