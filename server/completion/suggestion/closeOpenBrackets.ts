// Closes the brackets and strings that a text opens and leaves open, or cuts before them if closing makes no sense.
import { leadingSpace } from '../prompt/context';
import { mustClose, type Open } from '../syntax/scanner';
import { lacksEnd, type CursorSyntax } from './cursorSyntax';
import { faults, scanWithText } from './textSyntax';
import { withoutDangling } from './withoutDangling';

/** Matches a text that ends in a value, which the bracket of a call or an index can follow. */
const VALUE = /[\p{L}\p{N}_$)\]]$/u;

/** Match the keyword before the parenthesis of a loop, and of a condition. */
const LOOP = /\bfor(?: await)?[ \t]*$/;
const CONDITION = /\b(?:if|while|switch|with)[ \t]*$/;

/** Languages in which no comma can follow the last argument of a call. */
const NO_LAST_COMMA = new Set('c cpp objective-c objective-cpp csharp java lua sql swift'.split(' '));

/** Result of one attempt to close a text. */
interface Closed {
  readonly text: string;
  /** False if the text was cut before a delimiter that makes no sense closed; the caller then balances it again. */
  readonly isDone: boolean;
}

/**
 * Closes the delimiters that `text` opens and for which the document has no closer. `syntax.after` is the document
 * after the cursor, without the characters that the text replaces.
 */
export function closeOpenBrackets(text: string, syntax: CursorSyntax): Closed {
  const { after } = syntax;
  const start = syntax.lineBefore.length;
  const open = scanWithText(text, syntax).open.filter(({ kind }) => kind !== 'prose');
  const opened = open.filter(({ at }) => at >= start);
  const comment = opened.at(-1)?.kind === 'lineComment' ? opened.at(-1) : undefined;
  // Closers after a line comment, and the rest of the cursor's line, would become part of the comment.
  if (comment && (opened.length > 1 || !/^\s*(?:\n|$)/.test(after))) return cutBefore(comment, text, start);
  if (opened.length === 0 || comment) return { text, isDone: true };
  const outer = open.slice(0, open.length - opened.length);
  // The document can have closers of the outermost delimiters. Leaves as many open as give the fewest faults.
  const withLeftOpen = (leftOpen: number): string =>
    opened.slice(leftOpen).reduceRight((closed, { closer }) => closed + closer, text);
  const faultsByLeftOpen = opened.map((_, leftOpen) =>
    faults(withLeftOpen(leftOpen), [...outer, ...opened.slice(0, leftOpen)], after, syntax),
  );
  const leftOpen = faultsByLeftOpen.indexOf(Math.min(...faultsByLeftOpen));
  const gain = faults(text, open, after, syntax) - (faultsByLeftOpen[leftOpen] ?? 0);
  // Closers must leave fewer faults, or as many if a string or comment lacks its end.
  const outermostClosed = open.slice(0, outer.length + leftOpen + 1);
  if (
    gain < 0 ||
    (gain === 0 && !lacksEnd(outermostClosed, syntax.lineBefore + text, after, syntax.languageId))
  )
    return { text, isDone: true };
  const result = withClosers(text, opened.slice(leftOpen), syntax);
  const stillOpen = scanWithText(result, syntax).open.filter(
    (delimiter) => delimiter.at >= start && mustClose(delimiter),
  );
  if (stillOpen.length === leftOpen) return { text: result, isDone: true };
  // The added closers do not close all of these delimiters.
  return cutBefore(opened[leftOpen], text, start);
}

/** Cuts the text before a delimiter; `start` is the offset of the text. */
function cutBefore(open: Open | undefined, text: string, start: number): Closed {
  return { text: text.slice(0, (open?.at ?? start) - start).trimEnd(), isDone: false };
}

/** Adds the closers, and puts that of a block on its own line. Removes a delimiter without content instead. */
function withClosers(
  text: string,
  opened: readonly Open[],
  { lineBefore, languageId }: CursorSyntax,
): string {
  const cursor = lineBefore.length;
  const head = lineBefore + text;
  let result = text;
  for (const { kind, at, end, closer, region } of opened.toReversed()) {
    const isCode = kind === 'bracket' || kind === 'field';
    const canBeBlock = kind === 'bracket' || kind === 'embedded' || region?.endsOnOwnLine === true;
    const isBlock = canBeBlock && /^[ \t]*\n/.test(head.slice(end));
    if (isBlock) {
      const line = head.slice(head.lastIndexOf('\n', at) + 1);
      const hasComma = closer === ')' && NO_LAST_COMMA.has(languageId);
      const body = hasComma ? result.trimEnd().replace(/,$/, '') : result.trimEnd();
      result = `${body}\n${leadingSpace(line)}`;
    } else if (isCode) result = result.slice(0, end - cursor) + withoutDangling(result.slice(end - cursor));
    else if (closer === '*/') result = `${result.trimEnd()} `;
    // A backslash at the end would escape the closer of a string.
    else result = result.replace(/(?<!\\)((?:\\\\)*)\\$/, '$1');
    if (isHollow(result.slice(at - cursor), head.slice(0, at), kind)) {
      const keyword = (LOOP.exec(head.slice(0, at)) ?? CONDITION.exec(head.slice(0, at)))?.[0] ?? '';
      const kept = result.slice(0, Math.max(0, at - cursor - keyword.length));
      result = kind === 'field' ? kept : kept.trimEnd();
    } else result += isBlock ? closer.trimStart() : closer;
  }
  return result;
}

/** Returns whether a text has no content worth closing. It begins with an opener of this kind, and follows `lead`. */
function isHollow(text: string, lead: string, kind: Open['kind']): boolean {
  // A quote, and then only closers and separators.
  if (kind === 'string') return /^[^]["'`)\]},;]+$/.test(text);
  // Only the opener of code in a string.
  if (kind === 'field') return /^[^]*[{(]$/.test(text) && !/[{(].*[{(]/.test(text);
  if (text.startsWith('(') && LOOP.test(lead)) return true;
  if (text === '(') return CONDITION.test(lead) || !VALUE.test(lead);
  return text === '[' && VALUE.test(lead);
}
