// Step: puts the closer or the end tag after the cursor on a line of its own if the text before it has several lines.
import { leadingSpace, type CompletionContext } from '../prompt/context';
import { isBetweenTags } from '../syntax/language';
import { cursorSyntax } from './cursorSyntax';
import { replacedAfterCursor } from './replacedClosers';
import { scanWithText } from './textSyntax';

/** Matches a text that ends in a value, after which Go requires a comma if the next line closes the list. */
const GO_VALUE = /[\p{L}\p{N}_"'`)\]}]$/u;

/** Indents the closer like the cursor's line. White space before the closer is replaced together with it. */
export function closeOnOwnLine(text: string, context: CompletionContext, isPart = false): string {
  const { lineBefore, lineAfter, languageId } = context;
  const closer = /^[ \t]*([)\]}])/.exec(lineAfter)?.[1];
  const body = text.trimEnd();
  if (isBetweenTags(lineBefore, lineAfter, languageId))
    return /^[ \t]*\n/.test(body) ? `${body}\n${leadingSpace(lineBefore)}` : text;
  if (closer === undefined || !body.includes('\n') || replacedAfterCursor(text, context) > 0) return text;
  const syntax = cursorSyntax(context);
  const opened = scanWithText(text, syntax).open.findLast(({ kind }) => kind !== 'prose');
  const innermost = syntax.open.findLast(({ kind }) => kind !== 'prose');
  if (opened === undefined || innermost?.at !== opened.at || opened.closer !== closer || opened.at < 0)
    return text;
  if (opened.kind !== 'bracket') return text;
  // A call whose first argument is on the line of its opener can end on the line of its last argument.
  const isBlock = closer === '}' || /^[ \t]*\n/.test((lineBefore + text).slice(opened.end));
  if (!isBlock) return text;
  const isList = closer !== '}' || /,[ \t]*\n/.test(body);
  const comma = languageId === 'go' && isList && GO_VALUE.test(body) ? ',' : '';
  const line = `${body}${comma}\n${leadingSpace(lineBefore)}`;
  if (!/^[ \t]/.test(lineAfter)) return line;
  return isPart ? body : line + closer;
}
