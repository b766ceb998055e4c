// Step: adds the end tags of elements that a text of several lines begins and leaves open, as an output that was cut off
// does. balanceBrackets, which comes later, closes the brackets around them.
import type { CompletionContext } from '../prompt/context';
import { hasElements, tagsIn } from '../syntax/language';
import { cursorSyntax } from './cursorSyntax';
import { closeInOrder, lineTo } from './closeInOrder';

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

/** Adds nothing if the document after the cursor has an end tag already, or if the innermost element has no content. */
export function closeElements(text: string, context: CompletionContext, isPart = false): string {
  const { languageId, lineBefore } = context;
  if (isPart || !hasElements(languageId) || !text.includes('\n')) return text;
  const body = text.replace(HALF_TAG, '').trimEnd();
  const head = lineBefore + body;
  const elements = tagsIn(head).open.filter(({ at }) => at >= lineBefore.length);
  if (elements.length === 0 || elements.at(-1)?.end === head.length || HOLLOW.test(head)) return text;
  const isElement = ({ at, end }: { readonly at: number; readonly end: number }): boolean =>
    MARKUP.has(languageId) || (BEFORE_ELEMENT.test(lineTo(head, at)) && !head.startsWith('(', end));
  const isEndedByNext = elements.some(
    ({ name }, i) => name === elements[i - 1]?.name && ENDED_BY_NEXT.test(name),
  );
  if (isEndedByNext || !elements.every(isElement) || elements.some(({ name }) => endsBelow(name, context)))
    return text;
  if (MARKUP.has(languageId) && cursorSyntax(context).open.length > 0) return text;
  const opened = elements.map(({ name, at, end }) => ({ at, end, closer: `</${name}>` }));
  return closeInOrder(body, opened, context) ?? text;
}

/** Returns whether the document has more end tags of a name after the cursor than elements open before it. */
function endsBelow(name: string, { prefix, suffix }: CompletionContext): boolean {
  const openCount = tagsIn(prefix).open.filter((element) => element.name === name).length;
  const ends = tagsIn(suffix).foreignEnds.filter((at) => suffix.startsWith(`</${name}>`, at));
  return ends.length > openCount;
}
