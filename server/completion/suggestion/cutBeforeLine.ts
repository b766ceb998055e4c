// Cuts a text before its first unwanted line, for the steps that cut whole lines.
import type { CompletionContext } from '../prompt/context';

/**
 * Cuts before the first line for which `isUnwanted` returns true. The first of the lines is the cursor's: it begins
 * with the text before the cursor.
 */
export function cutBeforeLine(
  text: string,
  { lineBefore }: CompletionContext,
  isUnwanted: (line: string, at: number, lines: readonly string[]) => boolean,
): string {
  const lines = (lineBefore + text).split('\n');
  const at = lines.findIndex(isUnwanted);
  return at < 0 ? text : lines.slice(0, at).join('\n').slice(lineBefore.length);
}
