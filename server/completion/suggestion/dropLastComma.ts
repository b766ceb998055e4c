// Step: drops a comma after the last entry of a list in JSON.
import type { CompletionContext } from '../prompt/context';
import { replacedAfterCursor } from './replacedClosers';

/** Cuts a comma directly before the end of the list, where JSON does not allow it. */
export function dropLastComma(text: string, context: CompletionContext, isPart = false): string {
  if (isPart || !context.languageId.startsWith('json') || !/,\s*$/.test(text)) return text;
  const after = context.suffix.slice(replacedAfterCursor(text, context));
  return /^\s*[}\]]/.test(after) ? text.slice(0, text.lastIndexOf(',')) : text;
}
