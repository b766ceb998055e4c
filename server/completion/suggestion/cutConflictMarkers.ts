// Step: cuts before a line that is a marker of a merge conflict, or the rest of a marker.
import type { CompletionContext } from '../prompt/context';
import { cutBeforeLine } from './cutBeforeLine';

/**
 * Matches a line that only a conflict has; it can be indented if code was moved. A line of equals signs can also
 * underline a heading.
 */
const IN_DOCUMENT = /^[ \t]*(?:<{7}|>{7}|\|{7})(?: |$)/m;
/** Runs of characters in these markers; searching for them first is five times as fast. */
const RUNS = ['<<<<<<<', '>>>>>>>', '|||||||'];
const MARKER = /^[ \t]*(?:<{7,}|>{7,}|={7,}|\|{7,})(?:\s|$)/;
const PART_OF_MARKER = /^[ \t]*(?:<{3,}|>{3,}|={3,}|\|{3,})/;

/** Returns whether the document has markers of a merge conflict. There, models write more of the conflict, not code. */
export function hasConflict({ beginning, prefix, suffix }: CompletionContext): boolean {
  return [beginning, prefix, suffix].some(
    (text) => RUNS.some((run) => text.includes(run)) && IN_DOCUMENT.test(text),
  );
}

/**
 * Cuts before the first marker. Outside a conflict, only a complete marker counts, since code can look like half of
 * one, and none counts in prose, where a line of equals signs underlines a heading.
 */
export function cutConflictMarkers(text: string, context: CompletionContext): string {
  const isInProse = context.languageId === 'markdown' || context.languageId === 'restructuredtext';
  const isConflict = hasConflict(context);
  if (!isConflict && isInProse) return text;
  const marker = isConflict ? PART_OF_MARKER : MARKER;
  return cutBeforeLine(text, context, (line) => marker.test(line));
}
