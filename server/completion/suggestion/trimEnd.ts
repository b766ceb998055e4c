// Step: removes white space at the end, unless it separates the text from the rest of the cursor's line.
import type { CompletionContext } from '../prompt/context';
import { replacedAfterCursor } from './replacedClosers';

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
