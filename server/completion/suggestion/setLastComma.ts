// Step: in JSON, ends the text with a comma if another entry follows it, and without one if a closer follows.
import { lastLine, nextLine, type CompletionContext } from '../prompt/context';
import { isComment } from '../syntax/language';
import { replacedAfterCursor } from './replacedClosers';

/** Match a line that ends with a value, and one that begins with a value or a key. */
const ENDS_ENTRY = /(?:["\d\]}]|\b(?:true|false|null))$/;
const BEGINS_ENTRY = /^\s*(?:["{[\d-]|true\b|false\b|null\b)/;
/** Match a line that begins with a key, and one that is a lone string, such as a key without its value. */
const KEY = /^\s*"(?:[^"\\]|\\.)*"\s*:/;
const LONE_STRING = /^\s*"(?:[^"\\]|\\.)*"$/;

export function setLastComma(text: string, context: CompletionContext, isPart = false): string {
  const { languageId, lineBefore, lineAfter, suffix } = context;
  if (isPart || !/^json(?!l)/.test(languageId) || text.trim() === '') return text;
  const after = suffix.slice(replacedAfterCursor(text, context));
  if (/,\s*$/.test(text)) return /^\s*[}\]]/.test(after) ? text.slice(0, text.lastIndexOf(',')) : text;
  const next = nextLine(context) ?? '';
  const line = lastLine(lineBefore + text);
  const isBetween = lineAfter.trim() === '' && ENDS_ENTRY.test(line) && BEGINS_ENTRY.test(next);
  // A key without its value is not an entry.
  const isEntry = !isComment(line, languageId) && !(KEY.test(next) && LONE_STRING.test(line));
  return isBetween && isEntry ? `${text.trimEnd()},` : text;
}
