// Step: a closer stays if the document lacks it or if it replaces one that the editor has put after the cursor, and what
// the text opens is closed in it or right after it. An opener remains only where the text after the cursor closes it.
import type { CompletionContext } from '../prompt/context';
import { regexLength } from '../syntax/lexicalRules';
import { isText } from '../syntax/scanner';
import { closeOpenBrackets } from './closeOpenBrackets';
import { cursorSyntax, mustClose, type CursorSyntax } from './cursorSyntax';
import { surplusCloser } from './surplusCloser';
import { replacedClosers } from './replacedClosers';
import { faults, scanWithText } from './textSyntax';

const LAST_DELIMITER = /[)\]}'"`/](?=[^)\]}'"`/]*$)/;

/** Cuts before the first closer that is one too many, and closes what is open at the end unless more follows. */
export function balanceBrackets(text: string, context: CompletionContext, isPart = false): string {
  const here = cursorSyntax(context);
  const sound = withoutSurplus(text, context, here);
  if (isPart) return withoutOpenText(sound, here);
  const after = here.after.slice(replacedClosers(sound, context).characters);
  const closed = closeOpenBrackets(sound, { ...here, after });
  return closed.isDone ? closed.text : balanceBrackets(closed.text, context);
}

/** Cuts until each closer has its place, and the document reads as well as before. */
function withoutSurplus(text: string, context: CompletionContext, here: CursorSyntax): string {
  // The person has written the end of a regular expression that follows the cursor.
  const isCode = !here.open.some(isText);
  const regex = isCode ? regexLength(text, here.lineBefore, here.lineAfter, here.languageId) : undefined;
  const own = text.slice(0, regex);
  const kept = own.slice(0, surplusCloser(own, here, replacedClosers(own, context)));
  if (kept !== text) return withoutSurplus(kept, context, here);
  if (isSound(text, context, here)) return text;
  return withoutSurplus(text.slice(0, Math.max(0, text.search(LAST_DELIMITER))), context, here);
}

/** Whether the text after the cursor reads as well as before, with or without the delimiters that the text opens. */
function isSound(text: string, context: CompletionContext, here: CursorSyntax): boolean {
  const { after, open } = here;
  const all = scanWithText(text, here).open;
  const outer = all.filter(({ at }) => at < here.lineBefore.length);
  const rest = after.slice(replacedClosers(text, context).characters);
  const before = faults('', open, after, here);
  return [outer, all].some((these) => faults(text, these, rest, here) <= before);
}

/** Cuts before a string that is open at the end of a part: its end is unknown. Brackets are closed by what follows. */
function withoutOpenText(text: string, here: CursorSyntax): string {
  const cursor = here.lineBefore.length;
  const own = scanWithText(text, here).open.find(
    (each) => each.at >= cursor && mustClose(each) && isText(each),
  );
  return own === undefined ? text : text.slice(0, Math.max(0, text.lastIndexOf('\n', own.at - cursor)));
}
