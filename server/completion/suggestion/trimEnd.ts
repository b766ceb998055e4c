// Step: removes white space at the end, unless it moves the text after the cursor to a new line.
import type { CompletionContext } from '../prompt/context';
import { replacedAfterCursor } from './replacedClosers';

/** Keeps at most one line end before text after the cursor. */
export function trimEnd(text: string, context: CompletionContext): string {
  const body = text.trimEnd();
  if (body === '') return '';
  const lineAfter = context.lineAfter.slice(replacedAfterCursor(text, context));
  const end = text.slice(body.length);
  if (lineAfter.trim() === '' || lineAfter.startsWith(' ')) return body;
  // At most one line end: no blank lines before a closer.
  const newLine = end.lastIndexOf('\n');
  return body + (newLine < 0 ? end : end.slice(newLine));
}
