// Detects proposals that only undo what the user has just done.
import { sameLines, withChange, type LineChange } from '../rules/lineDiff';
import { textDifference } from '../rules/textDifference';
import { undone, type EditEvent, type EditLog } from './editLog';
import { changedText } from './textEdit';

/**
 * Returns whether an edit restores a recent text, undoes an event, deletes what was just typed or restores what was
 * just deleted.
 */
export function isRevert(log: EditLog, uri: string, lines: readonly string[], change: LineChange): boolean {
  const after = withChange(lines, change);
  if (log.hadLines(uri, after)) return true;
  const events = log.events(uri);
  const last = events.at(-1);
  return undoesEvent(events, lines, after) || (last !== undefined && opposes(last, lines, change));
}

/** Returns whether `after` is the text without one of the events, or without that event and all later ones. */
function undoesEvent(
  events: readonly EditEvent[],
  lines: readonly string[],
  after: readonly string[],
): boolean {
  let earlier = lines;
  const later: EditEvent[] = [];
  for (const event of events.toReversed()) {
    earlier = undone(earlier, event);
    if (sameLines(earlier, after)) return true;
    const moved = rebased(event, later);
    if (moved && sameLines(undone(lines, moved), after)) return true;
    later.push(event);
  }
  return false;
}

/**
 * Returns an event with its line number after the `later` events, which are listed newest first; undefined if one of
 * those changed the lines of the event.
 */
function rebased(event: EditEvent, later: readonly EditEvent[]): EditEvent | undefined {
  let { line } = event;
  for (const { line: at, before, after } of later.toReversed()) {
    if (at >= line + event.after.length) continue;
    if (at + before.length > line) return undefined;
    line += after.length - before.length;
  }
  return { ...event, line };
}

/**
 * Returns whether a change only deletes text that the last event inserted, or lines in which it did, or inserts text
 * that it deleted.
 */
function opposes(last: EditEvent, lines: readonly string[], change: LineChange): boolean {
  const { at, removed, added } = change;
  const edit = changedText(change, lines);
  const event = textDifference(last.before.join('\n'), last.after.join('\n'));
  const end = last.line + last.after.length;
  const isInside = at >= last.line && at + removed <= end;
  if (edit.inserted === '' && isInside && event.inserted.includes(edit.removed)) return true;
  if (added.length === 0 && event.inserted !== '' && at < end && at + removed > last.line) return true;
  const restored = edit.inserted.trim();
  return edit.removed === '' && restored !== '' && event.removed.trim() === restored;
}
