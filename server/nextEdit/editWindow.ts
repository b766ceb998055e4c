// The window: the lines around the cursor that a model rewrites, as they are now and as they were before the last
// event.
import type { Position } from 'vscode-languageserver/node';
import { undone, type EditEvent } from './editLog';

export interface EditWindow {
  /** Lines `from` to `to` - 1 of the document. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
  /** The same lines before the last event. */
  readonly original: readonly string[];
  /**
   * Number of lines at the top in which no change is expected. Sweep's prompts end with them, so that the model does
   * not write them; Zeta's format does not use the number.
   */
  readonly head: number;
  /** Whether the window ends with the last line break of the document. */
  readonly hasFinalBreak: boolean;
  /** Whether the document ends with the window. */
  readonly isAtEnd: boolean;
}

/** Everything that a prompt is made of. */
export interface EditPrompt {
  /** File name, as shown to the model. */
  readonly path: string;
  /** All lines of the document. */
  readonly lines: readonly string[];
  readonly cursor: Position;
  readonly window: EditWindow;
  /** Events to quote, oldest first. */
  readonly events: readonly EditEvent[];
  /** Number of characters of the document that fit into the prompt besides the window and the events. */
  readonly room: number;
}

/** Lines `from` to `to` - 1 of the document. */
export type Span = Pick<EditWindow, 'from' | 'to'>;

/** Longer lines are not written by hand, and would take a model long to repeat. */
export const MAX_EDIT_LINE_LENGTH = 1000;

/**
 * Returns the window of lines `from` to `to` - 1; undefined if a line is too long, now or before `event`, the document's
 * last event.
 */
export function editWindow(
  lines: readonly string[],
  cursor: Position,
  { from, to }: Span,
  event: EditEvent | undefined,
): EditWindow | undefined {
  const current = lines.slice(from, to);
  const earlier = event ? undone(lines, event) : lines;
  const original = earlier.slice(lineBefore(from, event, 'start'), lineBefore(to, event, 'end'));
  if ([...current, ...original].some((line) => line.length > MAX_EDIT_LINE_LENGTH)) return undefined;
  const head = headOf(current, cursor.line - from, (event ?? cursor).line - from);
  const hasFinalBreak = lines.at(-1) === '' && to === lines.length - 1;
  const isAtEnd = hasFinalBreak || to === lines.length;
  return { from, to, lines: current, original, head, hasFinalBreak, isAtEnd };
}

/** Returns the lines around the cursor, without the empty line after a final line break unless the cursor is there. */
export function linesAround(lines: readonly string[], cursor: Position, above: number, below: number): Span {
  const end = lines.at(-1) === '' && cursor.line < lines.length - 1 ? lines.length - 1 : lines.length;
  return { from: Math.max(0, cursor.line - above), to: Math.min(end, cursor.line + below + 1) };
}

/** Returns the index that a line had before an event. For a line within the event, that is the event's start or end. */
function lineBefore(line: number, event: EditEvent | undefined, edge: 'start' | 'end'): number {
  if (event === undefined || line <= event.line) return line;
  const grown = event.after.length - event.before.length;
  if (line >= event.line + event.after.length) return line - grown;
  return edge === 'start' ? event.line : event.line + event.before.length;
}

/**
 * Counts the lines at the top that are above the cursor, and above the last event unless that is above the window. They
 * end above a line with text: the line breaks around a blank line are one token, which the prompt must not split.
 */
function headOf(lines: readonly string[], cursorLine: number, eventLine: number): number {
  let head = Math.max(0, Math.min(cursorLine, eventLine < 0 ? cursorLine : eventLine));
  while (head > 0 && lines[head]?.trim() === '') head -= 1;
  return head;
}
