// What is open where the cursor is, and what the text behind it closes of that. Offsets are relative to the start of the
// cursor's line.
import { nextLine, type CompletionContext } from '../prompt/context';
import { isText, scan, type Open } from './scanner';

export interface CursorSyntax {
  readonly languageId: string;
  readonly lineBefore: string;
  readonly lineAfter: string;
  /** At the start of the line, outermost first. */
  readonly above: readonly Open[];
  readonly open: readonly Open[];
  /** As far as it tells what is closed. */
  readonly after: string;
  /** Where what the rest of the line closes was opened. */
  readonly closedByLine: ReadonlySet<number>;
  /** How many of those that are open are never closed. */
  readonly missing: number;
}

/** The text above the cursor's line, and what it leaves open; with offsets in that text. */
export function openAbove({ beginning, prefix, lineBefore, languageId }: CompletionContext) {
  const text = beginning + prefix.slice(0, prefix.length - lineBefore.length);
  const known = text.startsWith(last.text) && languageId === last.languageId;
  const { open } = scan(text, languageId, known ? { from: last.text.length, open: last.open } : undefined);
  return (last = { text, languageId, open });
}

/** The same lines need not be read again for the next key. */
let last: { readonly text: string; readonly languageId: string; readonly open: readonly Open[] } = {
  text: '',
  languageId: '',
  open: [],
};

const known = new WeakMap<CompletionContext, CursorSyntax>();

export function cursorSyntax(context: CompletionContext): CursorSyntax {
  const found = known.get(context) ?? read(context);
  known.set(context, found);
  return found;
}

function read(context: CompletionContext): CursorSyntax {
  const { languageId, lineBefore, lineAfter, suffix, reachesEnd } = context;
  const { text, open: all } = openAbove(context);
  const shifted = all.map((each) => ({ ...each, at: each.at - text.length, end: each.end - text.length }));
  // Where the outermost brackets are closed is unknown, so only those next to the cursor count.
  const from = reachesEnd ? 0 : shifted.findIndex(isText);
  const above = from < 0 ? [] : shifted.slice(from);
  const after = reachesEnd ? suffix : `${lineAfter}\n${nextLine(context) ?? ''}`;
  const { open } = scan(lineBefore, languageId, { from: 0, open: above });
  const here = { from: lineBefore.length, open };
  const closedIn = (rest: string): readonly Open[] =>
    scan(lineBefore + rest, languageId, here).events.flatMap(({ kind, opened }) =>
      (kind === 'closed' || kind === 'mismatch') && opened && opened.at < lineBefore.length ? [opened] : [],
    );
  return {
    ...{ languageId, lineBefore, lineAfter, above, open, after },
    closedByLine: new Set(closedIn(lineAfter).map(({ at }) => at)),
    missing: open.filter(mustClose).length - closedIn(after).filter(mustClose).length,
  };
}

/** Whether a text cannot end before it is closed. */
export function mustClose({ kind }: Open): boolean {
  return kind !== 'prose' && kind !== 'lineComment';
}
