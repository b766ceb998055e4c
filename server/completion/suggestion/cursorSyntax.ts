// Finds the delimiters that are open at the cursor, and those of them that the text after it closes. Offsets are
// relative to the start of the cursor's line.
import { leadingSpace, type CompletionContext } from '../prompt/context';
import { countFaults, isText, mustClose, scan, type Open } from '../syntax/scanner';

export interface CursorSyntax {
  readonly languageId: string;
  readonly lineBefore: string;
  readonly lineAfter: string;
  /** Delimiters open at the start of the line, outermost first. */
  readonly openAtLineStart: readonly Open[];
  /** Delimiters open at the cursor, outermost first. */
  readonly open: readonly Open[];
  /** The part of the text after the cursor in which the closers of `open` are sought. */
  readonly after: string;
  /** Offsets of the openers that the rest of the cursor's line closes. */
  readonly closedByLine: ReadonlySet<number>;
  /** Number of delimiters in `open` that need a closer and have none in `after`. */
  readonly missing: number;
}

/** Returns the text above the cursor's line, and the delimiters that it leaves open, with offsets in that text. */
export function openAbove({ beginning, above, languageId, openDelimiters }: CompletionContext) {
  const text = beginning + above;
  return { text, open: openDelimiters.after(text, languageId) };
}

/** Results by context: most steps of cleanSuggestion.ts need the same one. */
const cache = new WeakMap<CompletionContext, CursorSyntax>();

/** Scans the document around the cursor, once for each context. */
export function cursorSyntax(context: CompletionContext): CursorSyntax {
  const syntax = cache.get(context) ?? readSyntax(context);
  cache.set(context, syntax);
  return syntax;
}

function readSyntax(context: CompletionContext): CursorSyntax {
  const { languageId, lineBefore, lineAfter, suffix, reachesEnd } = context;
  const { text, open: openAboveLine } = openAbove(context);
  const shifted = openAboveLine.map((delimiter) => ({
    ...delimiter,
    at: delimiter.at - text.length,
    end: delimiter.end - text.length,
  }));
  const { from, end } = reachesEnd ? { from: 0, end: suffix.length } : cursorBlock(shifted, text, context);
  const openAtLineStart = shifted.slice(from);
  const after = suffix.slice(0, end);
  const { open } = scan(lineBefore, languageId, { from: 0, open: openAtLineStart });
  // The next closers do not belong to a string or comment that lacks its end, nor to delimiters in it.
  const lacking = open.findIndex(
    (delimiter, i) =>
      endsWithLine(delimiter, lineAfter) || lacksEnd(open.slice(0, i + 1), lineBefore, after, languageId),
  );
  const closable = lacking < 0 ? open : open.slice(0, lacking);
  const closedIn = (rest: string): readonly Open[] =>
    scan(lineBefore + rest, languageId, { from: lineBefore.length, open: closable }).events.flatMap(
      ({ kind, opened }) =>
        (kind === 'closed' || kind === 'mismatch') && opened && opened.at < lineBefore.length ? [opened] : [],
    );
  return {
    languageId,
    lineBefore,
    lineAfter,
    openAtLineStart,
    open,
    after,
    closedByLine: new Set(closedIn(lineAfter).map(({ at }) => at)),
    missing: open.filter(mustClose).length - closedIn(after).filter(mustClose).length,
  };
}

/**
 * Chooses the delimiters to balance in a document whose end is too far away to read: those of the cursor's block, and
 * those of calls and lists around it that end within the suffix. The closers of outer brackets are out of sight.
 * Returns the index `from` of the outermost delimiter to balance, and the offset `end` in the suffix up to which
 * closers are sought.
 */
function cursorBlock(open: readonly Open[], text: string, { lineBefore, suffix }: CompletionContext) {
  const depthOf = ({ at }: Open): number =>
    leadingSpace(text.slice(text.lastIndexOf('\n', text.length + at) + 1)).length;
  const { length: depth } = leadingSpace(lineBefore);
  const near = open.findIndex((delimiter) => isText(delimiter) || (depth > 0 && depthOf(delimiter) >= depth));
  let from = near < 0 ? open.length : near;
  let end = blockEnd(suffix, depth);
  for (const delimiter of open.slice(0, from).toReversed()) {
    const delimiterEnd =
      delimiter.kind === 'bracket' && delimiter.closer !== '}' ? listEnd(suffix, depthOf(delimiter)) : -1;
    if (delimiterEnd < 0) break;
    from -= 1;
    end = delimiterEnd;
  }
  return { from, end };
}

/**
 * Returns the offset of the first line after a list: one that is not deeper than `depth` columns and does not begin
 * with a closer or #; -1 without one.
 */
function listEnd(suffix: string, depth: number): number {
  return suffix.search(new RegExp(`\\n[ \\t]{0,${String(depth)}}[^\\s)\\]}#]`));
}

/** Returns the offset of the first line with text less than `depth` columns deep; undefined without one. */
function blockEnd(suffix: string, depth: number): number | undefined {
  const outside = new RegExp(`\\n(?![ \\t]{${String(depth)}}|[ \\t]*$)`, 'm');
  return outside.exec(suffix)?.index;
}

/** Returns whether a delimiter is a string of one line that has no closer in the rest of its line. */
function endsWithLine({ kind, region, closer }: Open, lineAfter: string): boolean {
  return kind === 'string' && region?.oneLine === true && !lineAfter.includes(closer);
}

/** Matches a text after which a quote begins a string. */
const BEFORE_STRING = /(?:^|[\s([{,=:])$/;

/**
 * Returns whether the last delimiter in `open` is a string or a comment that lacks its closer, so that the next closer
 * in `after`, if there is one, belongs to a later string or comment. `open` are the delimiters open at the end of
 * `head`, up to the one in question.
 *
 * If opener and closer differ, another opener before the next closer shows that the closer is lacking. A quote can be
 * either, so this is a guess: the closer is lacking if closing the string at the end of `head` leaves fewer delimiters
 * unmatched, or as many and the next quote looks like an opener. False for a string of one line without any closer in
 * its line, which a scan counts as broken.
 */
export function lacksEnd(open: readonly Open[], head: string, after: string, languageId: string): boolean {
  const { region, closer = '' } = open.at(-1) ?? {};
  if (region === undefined || closer === '') return false;
  const rest = region.oneLine ? `${after.split('\n', 1).join()}\n` : after;
  const end = rest.indexOf(closer.trim());
  if (end < 0) return !region.oneLine;
  const opens = new RegExp(region.opens, 'gmu');
  if (!opens.test(`x${closer}`)) {
    opens.lastIndex = head.length;
    const next = opens.exec(head + rest);
    return next !== null && next.index - head.length <= end;
  }
  const gain =
    countFaults(head, open, rest, languageId) -
    countFaults(head + closer, open.slice(0, -1), rest, languageId);
  return (
    gain > 0 ||
    (gain === 0 &&
      BEFORE_STRING.test(rest.slice(0, end)) &&
      /^[^\s)\]},;]/.test(rest.slice(end + closer.length)))
  );
}
