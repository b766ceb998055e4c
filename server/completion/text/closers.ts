// What a suggestion may close, and must close: a closer stays if the document lacks it or if it replaces one that the
// editor has put behind the cursor, and whatever the text opens is closed in it or right behind it. An opener remains
// only where the text behind the cursor closes it.
import { leadingSpace, type CompletionContext } from '../prompt/context';
import { cursorSyntax, lacksEnd, mustClose, type CursorSyntax } from './cursorSyntax';
import { regexLength } from './lexicalRules';
import { isText, scan, type LexicalEvent, type Open, type Scan } from './scanner';

/** What an editor puts behind the cursor by itself, and the end of a statement. */
export const CLOSERS = /^[\s)\]}'"`;,:>]*$/;
const LAST_DELIMITER = /[)\]}'"`/](?=[^)\]}'"`/]*$)/;
/** Nothing can be closed behind these. */
const DANGLING = /(?:\s|->|\s\/|[.,=:?&|+*%<~^@!-])+$/;
/** The first half of `a ? b : c`. */
const HALF_CHOICE = /\s\?\s[^:]*$/;
/** What a call or an index may follow. */
const VALUE = /[\p{L}\p{N}_$)\]]$/u;
const LOOP = /\bfor(?: await)?[ \t]*$/;
const CONDITION = /\b(?:if|while|switch|with)[ \t]*$/;

/** Cuts before the first closer that is one too many, and closes what is open at the end; a part may still go on. */
export function bracketBalance(text: string, context: CompletionContext, isPart = false): string {
  const here = cursorSyntax(context);
  const { lineBefore, lineAfter, languageId } = here;
  // The end of a regular expression behind the cursor is the person's own.
  const length = here.open.some(isText) ? undefined : regexLength(text, lineBefore, lineAfter, languageId);
  if (length !== undefined && length < text.length)
    return bracketBalance(text.slice(0, length), context, isPart);
  const kept = text.slice(0, surplus(text, here, replaced(text, context)));
  if (kept !== text) return bracketBalance(kept, context, isPart);
  if (!isSound(text, context, here))
    return bracketBalance(text.slice(0, Math.max(0, text.search(LAST_DELIMITER))), context, isPart);
  return isPart ? withoutOpenText(text, here) : completed(text, context, here);
}

/** Whether what follows reads as well as before, with or without what the text opens. */
function isSound(text: string, context: CompletionContext, here: CursorSyntax): boolean {
  const { after, open } = here;
  const all = scanned(text, here).open;
  const outer = all.filter(({ at }) => at < here.lineBefore.length);
  const rest = after.slice(replaced(text, context).characters);
  const before = faults('', open, after, here);
  return [outer, all].some((these) => faults(text, these, rest, here) <= before);
}

/**
 * How many characters behind the cursor a text replaces: the closers that an editor adds by itself, where the text closes
 * the same ones and goes on.
 */
export function closedBehind(text: string, context: CompletionContext): number {
  return replaced(text, context).characters;
}

interface Replaced {
  readonly characters: number;
  /** How many closers that is. */
  readonly closers: number;
}

const NOTHING: Replaced = { characters: 0, closers: 0 };

function replaced(text: string, context: CompletionContext): Replaced {
  const here = cursorSyntax(context);
  const { lineBefore, lineAfter } = here;
  if (lineAfter.trim() === '') return NOTHING;
  const { events } = scanned(text, here);
  const other = events.findIndex(({ kind }) => kind !== 'closed');
  const closings = other < 0 ? events : events.slice(0, other);
  let characters = 0;
  let closers = 0;
  for (const { opened } of closings) {
    const end = characters + leadingSpace(lineAfter.slice(characters)).length;
    if (opened === undefined || !lineAfter.startsWith(opened.closer, end)) break;
    characters = end + opened.closer.length;
    closers += 1;
  }
  const first = closings[0]?.at;
  if (closers === 0 || first === undefined) return NOTHING;
  const rest = text.slice((closings[closers - 1]?.end ?? 0) - lineBefore.length);
  // The end of a tag, too.
  if (/^\s*>/.test(rest)) characters += /^\s*>|/.exec(lineAfter.slice(characters))?.[0].length ?? 0;
  if (!CLOSERS.test(lineAfter.slice(characters).replace(/\*\/|-->/, ''))) return NOTHING;
  const within = text.slice(0, first - lineBefore.length);
  // One line that closes brackets only is better cut, as then what follows stays.
  const isSimple = closings.slice(0, closers).every(({ opened }) => opened?.kind === 'bracket');
  if (isSimple && !text.includes('\n')) return NOTHING;
  const isOwnLine = /\n[ \t]*$/.test(within) && /^[ \t]/.test(lineAfter);
  const adds = !packed(lineAfter).startsWith(packed(text.slice(within.length)));
  return adds || isOwnLine ? { characters, closers } : NOTHING;
}

function packed(text: string): string {
  return text.replace(/\s+/g, '');
}

/** A text in its line: what it leaves open, and what it does to what was open at the cursor. */
function scanned(text: string, { lineBefore, languageId, above }: CursorSyntax): Scan {
  return scan(lineBefore + text, languageId, { from: 0, open: above, eventsFrom: lineBefore.length });
}

/** What a document lacks if `open` is what is open behind `text`. */
function faults(text: string, open: readonly Open[], after: string, here: CursorSyntax): number {
  const head = here.lineBefore + text;
  const rest = scan(head + after, here.languageId, { from: head.length, open });
  return rest.faults + rest.open.filter(mustClose).length;
}

/** Where the first closer is that may not stay; the text's length if all may. */
function surplus(text: string, here: CursorSyntax, { characters, closers }: Replaced): number {
  const cursor = here.lineBefore.length;
  const after = here.after.slice(characters);
  const read = scanned(text, here);
  if (opensAgain(text, read, here) || endsAll(text, read, here)) return text.length;
  let { open } = here;
  let missing = here.missing;
  for (const [i, event] of read.events.entries()) {
    const at = event.at - cursor;
    if (event.kind !== 'closed' || event.opened === undefined) return brokenAt(text, event, cursor);
    const { opened } = event;
    const own = open.findIndex((each) => each.at === opened.at);
    // It has begun before the cursor and was not complete there, such as a tag.
    if (own < 0) continue;
    const outer = open.slice(0, own);
    if (i >= closers && opened.kind !== 'bracket' && here.closedByLine.has(opened.at)) return at;
    if (i >= closers && opened.kind !== 'prose') {
      missing -= 1;
      if (missing < 0 || isWorse(outer, open)) return at;
    }
    open = outer;
  }
  return text.length;

  function isWorse(these: readonly Open[], those: readonly Open[]): boolean {
    return faults(text, these, after, here) > faults(text, those, after, here);
  }
}

/** Whether a text opens again what it has closed, or in its line something else that is closed, and nothing is worse. */
function opensAgain(text: string, read: Scan, here: CursorSyntax): boolean {
  const { open, lineBefore } = here;
  const isSame =
    read.open.length === open.length && read.open.every(({ closer }, i) => closer === open[i]?.closer);
  const isOther =
    !text.includes('\n') && read.open.some((each) => each.at >= lineBefore.length && mustClose(each));
  if (!(isSame || isOther) || read.events.some(({ kind }) => kind !== 'closed')) return false;
  return isNoWorse(text, read.open, here);
}

/**
 * Whether a text ends several things that lack their ends, and nothing is worse. One by one, the next string of the document
 * might seem to be the rest of this one, and to take in what follows.
 */
function endsAll(text: string, { events, open }: Scan, here: CursorSyntax): boolean {
  const isClosing = events.length > 1 && events.every(({ kind }) => kind === 'closed');
  if (!isClosing || events.length > here.missing) return false;
  return isNoWorse(text, open, here);
}

/** Whether the document lacks no more with the text, behind which `open` is open, than without it. */
function isNoWorse(text: string, open: readonly Open[], here: CursorSyntax): boolean {
  return faults(text, open, here.after, here) <= faults('', here.open, here.after, here);
}

/** A string that its line does not end is cut with its line. */
function brokenAt(text: string, { at, opened, kind }: LexicalEvent, cursor: number): number {
  if (kind !== 'broken' || opened === undefined || opened.at < cursor) return at - cursor;
  return Math.max(0, text.lastIndexOf('\n', opened.at - cursor));
}

/** What more of the text will close is left open, but for strings, as their ends cannot be seen. */
function withoutOpenText(text: string, here: CursorSyntax): string {
  const cursor = here.lineBefore.length;
  const own = scanned(text, here).open.find((each) => each.at >= cursor && mustClose(each) && isText(each));
  return own === undefined ? text : text.slice(0, Math.max(0, text.lastIndexOf('\n', own.at - cursor)));
}

function completed(text: string, context: CompletionContext, here: CursorSyntax): string {
  const cursor = here.lineBefore.length;
  const after = here.after.slice(replaced(text, context).characters);
  const open = scanned(text, here).open.filter(({ kind }) => kind !== 'prose');
  const own = open.filter(({ at }) => at >= cursor);
  const note = own.at(-1)?.kind === 'lineComment' ? own.at(-1) : undefined;
  // It would take in what follows, or the closers.
  if (note && (own.length > 1 || !/^\s*(?:\n|$)/.test(after)))
    return bracketBalance(text.slice(0, note.at - cursor).trimEnd(), context);
  const outer = open.slice(0, open.length - own.length);
  const closed = (kept: number): string =>
    own.slice(kept).reduceRight((all, { closer }) => all + closer, text);
  const lacks = own.map((_, kept) => faults(closed(kept), [...outer, ...own.slice(0, kept)], after, here));
  const kept = lacks.indexOf(Math.min(...lacks));
  if (own.length === 0 || note) return text;
  const better = faults(text, open, after, here) - (lacks[kept] ?? 0);
  const behind = { ...here, after };
  if (better < 0 || (better === 0 && !lacksEnd(open, outer.length + kept, here.lineBefore + text, behind)))
    return text;
  const result = withClosers(text, own.slice(kept), here);
  const left = scanned(result, here).open.filter((each) => each.at >= cursor && mustClose(each));
  if (left.length === kept) return result;
  return bracketBalance(text.slice(0, (own[kept]?.at ?? cursor) - cursor).trimEnd(), context);
}

/** Closes what is open, as the person would: a block on a line of its own. */
function withClosers(text: string, own: readonly Open[], { lineBefore }: CursorSyntax): string {
  const cursor = lineBefore.length;
  const head = lineBefore + text;
  let result = text;
  for (const { kind, at, end, closer } of own.toReversed()) {
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

/** Whether what has just begun says nothing that can be closed: `text` from its opener on, `lead` before that. */
function isHollow(text: string, lead: string, kind: Open['kind']): boolean {
  if (kind === 'string') return /^[^]["'`)\]},;]+$/.test(text);
  if (kind === 'field') return /^[^]*[{(]$/.test(text) && !/[{(].*[{(]/.test(text);
  if (text.startsWith('(') && LOOP.test(lead)) return true;
  if (text === '(') return CONDITION.test(lead) || !VALUE.test(lead);
  return text === '[' && VALUE.test(lead);
}

/** What stands as it is, should the text end here: a function that lacks its body gets an empty one. */
export function withoutDangling(text: string): string {
  return /=>\s*$/.test(text) ? `${text.trimEnd()} {}` : text.replace(HALF_CHOICE, '').replace(DANGLING, '');
}
