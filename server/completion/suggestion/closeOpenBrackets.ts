// Closes the brackets and strings that a text opens and leaves open, or cuts before them if closing makes no sense.
import { leadingSpace } from '../prompt/context';
import type { Open } from '../syntax/scanner';
import { lacksEnd, mustClose, type CursorSyntax } from './cursorSyntax';
import { faults, scanWithText } from './textSyntax';
import { withoutDangling } from './withoutDangling';

/** Matches a text that a call or an index can follow. */
const VALUE = /[\p{L}\p{N}_$)\]]$/u;

/** Match the keyword before the parenthesis of a loop and of a condition. */
const LOOP = /\bfor(?: await)?[ \t]*$/;
const CONDITION = /\b(?:if|while|switch|with)[ \t]*$/;

/** Result of one attempt to close a text. */
interface Closed {
  readonly text: string;
  /** Whether the text is closed. Otherwise it was cut before something that cannot be closed, to be tried again. */
  readonly isDone: boolean;
}

/** Closes the delimiters that `text` opens if the document lacks their closers; `after` follows in the document. */
export function closeOpenBrackets(text: string, { after, ...cursor }: CursorSyntax): Closed {
  const here = { ...cursor, after };
  const start = here.lineBefore.length;
  const open = scanWithText(text, here).open.filter(({ kind }) => kind !== 'prose');
  const opened = open.filter(({ at }) => at >= start);
  const comment = opened.at(-1)?.kind === 'lineComment' ? opened.at(-1) : undefined;
  // The comment would swallow the closers, or the text after the cursor.
  if (comment && (opened.length > 1 || !/^\s*(?:\n|$)/.test(after))) return cutBefore(comment, text, start);
  if (opened.length === 0 || comment) return { text, isDone: true };
  const outer = open.slice(0, open.length - opened.length);
  const closed = (kept: number): string =>
    opened.slice(kept).reduceRight((all, { closer }) => all + closer, text);
  const lacks = opened.map((_, kept) =>
    faults(closed(kept), [...outer, ...opened.slice(0, kept)], after, here),
  );
  const kept = lacks.indexOf(Math.min(...lacks));
  const gain = faults(text, open, after, here) - (lacks[kept] ?? 0);
  if (gain < 0 || (gain === 0 && !lacksEnd(open, outer.length + kept, here.lineBefore + text, here)))
    return { text, isDone: true };
  const result = withClosers(text, opened.slice(kept), here);
  const left = scanWithText(result, here).open.filter(
    (delimiter) => delimiter.at >= start && mustClose(delimiter),
  );
  if (left.length === kept) return { text: result, isDone: true };
  return cutBefore(opened[kept], text, start);
}

function cutBefore(open: Open | undefined, text: string, start: number): Closed {
  return { text: text.slice(0, (open?.at ?? start) - start).trimEnd(), isDone: false };
}

/** Adds the closers; puts the closer of a block on its own line. */
function withClosers(text: string, opened: readonly Open[], { lineBefore }: CursorSyntax): string {
  const cursor = lineBefore.length;
  const head = lineBefore + text;
  let result = text;
  for (const { kind, at, end, closer } of opened.toReversed()) {
    const isCode = kind === 'bracket' || kind === 'field';
    const isBlock = (kind === 'bracket' || kind === 'embedded') && /^[ \t]*\n/.test(head.slice(end));
    if (isBlock) {
      const line = head.slice(head.lastIndexOf('\n', at) + 1);
      result = `${result.trimEnd()}\n${leadingSpace(line)}`;
    } else if (isCode) result = result.slice(0, end - cursor) + withoutDangling(result.slice(end - cursor));
    else if (closer === '*/') result = `${result.trimEnd()} `;
    else result = result.replace(/(?<!\\)(\\\\)*\\$/, '$1');
    if (isHollow(result.slice(at - cursor), head.slice(0, at), kind)) {
      const keyword = (LOOP.exec(head.slice(0, at)) ?? CONDITION.exec(head.slice(0, at)))?.[0] ?? '';
      const kept = result.slice(0, Math.max(0, at - cursor - keyword.length));
      result = kind === 'field' ? kept : kept.trimEnd();
    } else result += isBlock ? closer.trimStart() : closer;
  }
  return result;
}

/** Returns whether a text, which begins with its opener, has no content worth closing; `lead` is the text before it. */
function isHollow(text: string, lead: string, kind: Open['kind']): boolean {
  if (kind === 'string') return /^[^]["'`)\]},;]+$/.test(text);
  if (kind === 'field') return /^[^]*[{(]$/.test(text) && !/[{(].*[{(]/.test(text);
  if (text.startsWith('(') && LOOP.test(lead)) return true;
  if (text === '(') return CONDITION.test(lead) || !VALUE.test(lead);
  return text === '[' && VALUE.test(lead);
}
