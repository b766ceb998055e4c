// Step: removes white space from a text's end, unless what follows the cursor moves to the new line.
import type { CompletionContext } from '../prompt/context';
import { replacedAfterCursor } from './replacedClosers';

/** Keeps at most one line end before text after the cursor. */
export function trimEnd(text: string, context: CompletionContext): string {
  const body = text.trimEnd();
  if (body === '') return '';
  const lineAfter = context.lineAfter.slice(replacedAfterCursor(text, context));
  const end = text.slice(body.length);
  if (lineAfter.trim() === '' || lineAfter.startsWith(' ')) return body;
  // Keeps one line break at most: blank lines before a closer are never wanted.
  const newLine = end.lastIndexOf('\n');
  return body + (newLine < 0 ? end : end.slice(newLine));
}
