// A trace played on plain strings: what stands in the documents at the end, without a server. What is accepted of the
// text to come is the caller's choice.
import { editFor, type Progress } from '../../../../bench/replay/progress';
import type { Trace } from '../../../../bench/replay/trace';
import type { LookEvent } from '../../../../bench/replay/typePassage';

/** `accepts` gives how many of the characters to come are accepted. */
export function playOnPaper(
  { documents, events }: Trace,
  accepts: (look: LookEvent, toCome: string) => number = () => 0,
): (string | undefined)[] {
  const texts: (string | undefined)[] = documents.map(() => undefined);
  let [document, cursor, passage] = [0, 0, ''];
  let progress: Progress = { done: 0, wrong: 0 };
  const change = (removed: number, inserted: string): void => {
    const text = texts[document] ?? '';
    texts[document] = text.slice(0, cursor - removed) + inserted + text.slice(cursor);
    cursor += inserted.length - removed;
  };
  for (const event of events) {
    if (event.kind === 'open') texts[event.document] = documents[event.document]?.start;
    else if (event.kind === 'passage') {
      [document, cursor, passage] = [event.document, event.offset, event.text];
      progress = { done: 0, wrong: 0 };
    } else if (event.kind === 'look') {
      if (event.at !== progress.done || progress.wrong > 0) continue;
      const part = passage.slice(progress.done, progress.done + accepts(event, passage.slice(event.at)));
      progress = { done: progress.done + part.length, wrong: 0 };
      change(0, part);
    } else if ('inserted' in event) {
      const edit = editFor(event, progress, passage);
      if (edit === undefined) continue;
      progress = edit.progress;
      change(edit.removed, edit.inserted);
    }
  }
  return texts;
}
