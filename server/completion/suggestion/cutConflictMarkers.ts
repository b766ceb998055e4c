// Step: cuts before a line that is a marker of a merge conflict, or the rest of a marker.
import type { CompletionContext } from '../prompt/context';

/**
 * Matches a marker that shows a conflict, perhaps indented after code was moved. Not one of equals signs, which also
 * underline headings.
 */
const IN_DOCUMENT = /^[ \t]*(?:<{7}|>{7}|\|{7})(?: |$)/m;
const MARKER = /^[ \t]*(?:<{7,}|>{7,}|={7,}|\|{7,})(?:\s|$)/;
const PART_OF_MARKER = /^[ \t]*(?:<{3,}|>{3,}|={3,}|\|{3,})/;

/** Returns whether the document has lines of a merge conflict, which models continue instead of the code. */
export function hasConflict({ beginning, prefix, suffix }: CompletionContext): boolean {
  return [beginning, prefix, suffix].some((text) => IN_DOCUMENT.test(text));
}

/** Cuts before the first marker. Outside a conflict it must be complete, as code can contain some of its characters. */
export function cutConflictMarkers(text: string, context: CompletionContext): string {
  const isInProse = context.languageId === 'markdown' || context.languageId === 'restructuredtext';
  const isConflict = hasConflict(context);
  if (!isConflict && isInProse) return text;
  const lines = text.split('\n');
  const marker = isConflict ? PART_OF_MARKER : MARKER;
  const at = lines.findIndex((line, i) => marker.test(i === 0 ? context.lineBefore + line : line));
  return at < 0 ? text : lines.slice(0, at).join('\n');
}
