// Finds the closers after the cursor that a text replaces: those of brackets and strings that the text itself closes
// before it goes on.
import { leadingSpace, type CompletionContext } from '../prompt/context';
import { cursorSyntax } from './cursorSyntax';
import { scanWithText } from './textSyntax';

/** Matches the rest of a line if it has only closers, which editors insert, and separators, such as a semicolon. */
export const ONLY_CLOSERS = /^[\s)\]}'"`;,:>]*$/;

/** Returns the number of characters after the cursor that a text replaces. */
export function replacedAfterCursor(text: string, context: CompletionContext): number {
  return replacedClosers(text, context).characters;
}

export interface Replaced {
  readonly characters: number;
  /** Number of closers in these characters. */
  readonly closers: number;
}

const NOTHING: Replaced = { characters: 0, closers: 0 };

/** Returns the replaced part of the text after the cursor. */
export function replacedClosers(text: string, context: CompletionContext): Replaced {
  const syntax = cursorSyntax(context);
  const { lineBefore, lineAfter } = syntax;
  if (lineAfter.trim() === '') return NOTHING;
  const { events } = scanWithText(text, syntax);
  const firstChange = events.findIndex(({ kind }) => kind !== 'closed');
  const closings = firstChange < 0 ? events : events.slice(0, firstChange);
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
  // The end of a tag is replaced too.
  if (/^\s*>/.test(rest)) characters += /^\s*>/.exec(lineAfter.slice(characters))?.[0].length ?? 0;
  if (!ONLY_CLOSERS.test(lineAfter.slice(characters).replace(/\*\/|-->/, ''))) return NOTHING;
  const inside = text.slice(0, first - lineBefore.length);
  // A single line that closes only brackets replaces nothing: balanceBrackets cuts its surplus closers instead.
  const isSimple = closings.slice(0, closers).every(({ opened }) => opened?.kind === 'bracket');
  if (isSimple && !text.includes('\n')) return NOTHING;
  // Closers that only repeat those after the cursor replace them only if they are on a line of their own.
  const isOwnLine = /\n[ \t]*$/.test(inside) && /^[ \t]/.test(lineAfter);
  const addsText = !withoutSpace(lineAfter).startsWith(withoutSpace(text.slice(inside.length)));
  return addsText || isOwnLine ? { characters, closers } : NOTHING;
}

/** Removes all white space. */
function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}
