// Step: ends the last entry of a text in JSON with a comma exactly if another entry follows.
import { lastLine, nextLine, type CompletionContext } from '../prompt/context';
import { isComment } from '../syntax/language';
import { replacedAfterCursor } from './replacedClosers';

/** A line that ends with a value, and one that begins with a value or a key. */
const ENDS_ENTRY = /(?:["\d\]}]|\b(?:true|false|null))$/;
const BEGINS_ENTRY = /^\s*(?:["{[\d-]|true\b|false\b|null\b)/;
/** A line that begins with a key, and one that is a key without its value. */
const KEY = /^\s*"(?:[^"\\]|\\.)*"\s*:/;
const LONE_STRING = /^\s*"(?:[^"\\]|\\.)*"$/;

/** Cuts a comma before the end of the list, where JSON does not allow it, and adds one before the next entry. */
export function setLastComma(text: string, context: CompletionContext, isPart = false): string {
  const { languageId, lineBefore, lineAfter, suffix } = context;
  if (isPart || !/^json(?!l)/.test(languageId) || text.trim() === '') return text;
  const after = suffix.slice(replacedAfterCursor(text, context));
  if (/,\s*$/.test(text)) return /^\s*[}\]]/.test(after) ? text.slice(0, text.lastIndexOf(',')) : text;
  const next = nextLine(context) ?? '';
  const line = lastLine(lineBefore + text);
  const isBetween = lineAfter.trim() === '' && ENDS_ENTRY.test(line) && BEGINS_ENTRY.test(next);
  // Without its value, a key is no entry yet.
  const isEntry = !isComment(line, languageId) && !(KEY.test(next) && LONE_STRING.test(line));
  return isBetween && isEntry ? `${text.trimEnd()},` : text;
}
