// The window: lines around the cursor that a model rewrites, as they are now and as they were before the last event.
import { undone, type EditEvent } from './editLog';
import type { Place } from './textEdit';

export interface EditWindow {
  /** Lines of the document, from `from` up to `to`. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
  /** The same lines before the last event. */
  readonly original: readonly string[];
  /** Lines at the top that the output repeats in any case, so the prompt ends with them. */
  readonly head: number;
}

/** Everything that a prompt is made of. */
export interface EditPrompt {
  /** File name, as shown to the model. */
  readonly path: string;
  /** All lines of the document. */
  readonly lines: readonly string[];
  readonly cursor: Place;
  readonly window: EditWindow;
  /** Oldest first. */
  readonly events: readonly EditEvent[];
  /** Characters of the document that fit into the prompt in addition to the window. */
  readonly room: number;
}

/** Lines of a window, from `from` up to `to`. */
export type Span = Pick<EditWindow, 'from' | 'to'>;

/** Longer lines are not written by hand, and a model would have to repeat them. */
const LONGEST_LINE = 1000;

/** Returns the window at `span`; undefined where its lines are too long. `event` is the last one of the document. */
export function editWindow(
  lines: readonly string[],
  cursor: Place,
  { from, to }: Span,
  event: EditEvent | undefined,
): EditWindow | undefined {
  const now = lines.slice(from, to);
  if (now.some((line) => line.length > LONGEST_LINE)) return undefined;
  const earlier = event ? undone(lines, event) : lines;
  const original = earlier.slice(placeBefore(from, event, 'start'), placeBefore(to, event, 'end'));
  return { from, to, lines: now, original, head: headOf(now, cursor.line - from, (event?.line ?? 0) - from) };
}

/** Returns the lines around the cursor. The empty line after a final line break is no line of the window. */
export function linesAround(lines: readonly string[], cursor: Place, above: number, below: number): Span {
  const end = lines.at(-1) === '' && cursor.line < lines.length - 1 ? lines.length - 1 : lines.length;
  return { from: Math.max(0, cursor.line - above), to: Math.min(end, cursor.line + below + 1) };
}

/** Returns where a line was before an event; within the event, where that began or ended. */
function placeBefore(line: number, event: EditEvent | undefined, edge: 'start' | 'end'): number {
  if (event === undefined || line <= event.line) return line;
  const grown = event.after.length - event.before.length;
  if (line >= event.line + event.after.length) return line - grown;
  return edge === 'start' ? event.line : event.line + event.before.length;
}

/**
 * Counts the lines above both the cursor and the last event. The next line has text: a line break before a blank line
 * would be another token.
 */
function headOf(lines: readonly string[], cursorLine: number, eventLine: number): number {
  let head = Math.max(0, Math.min(cursorLine, eventLine < 0 ? cursorLine : eventLine));
  while (head > 0 && lines[head]?.trim() === '') head -= 1;
  return head;
}
