// Takes white space from the end of a suggestion, unless something after the cursor stands on the new line.
import type { CompletionContext } from '../context';

export function trailingWhitespace(text: string, { lineAfter }: CompletionContext): string {
  const body = text.trimEnd();
  const end = text.slice(body.length);
  const stays = lineAfter.trim() !== '' && !lineAfter.startsWith(' ');
  if (!stays) return body;
  // One new line at most; blank lines before a closer help nobody.
  const newLine = end.lastIndexOf('\n');
  return body + (newLine < 0 ? end : end.slice(newLine));
}
