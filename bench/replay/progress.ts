// Tracks how far a passage is typed, and computes the rest of each event's change, since accepted suggestions can have
// done the work of some events already.

export interface Progress {
  /** Characters of the passage in the document. */
  readonly done: number;
  /** Wrong characters after them. */
  readonly wrong: number;
}

/** A change before the cursor: removes characters, then inserts the text. */
export interface Change {
  readonly removed: number;
  readonly inserted: string;
}

/** A change that the user makes by keyboard. */
export interface EditEvent extends Change {
  readonly kind: 'key' | 'newline' | 'slip' | 'backspace' | 'deleteLine' | 'undo';
  /** Pause before the event. */
  readonly pauseMs: number;
  /** Progress before and after the event if no suggestion was accepted. */
  readonly before: Progress;
  readonly after: Progress;
}

/** A change with the progress after it. */
export interface Edit extends Change {
  readonly progress: Progress;
}

/** Returns the remaining change of an event; undefined if none is left. */
export function editFor(event: EditEvent, progress: Progress, passage: string): Edit | undefined {
  const { before, after, removed, inserted } = event;
  const { done, wrong } = progress;
  if (done === before.done && wrong === before.wrong) return { removed, inserted, progress: after };
  if (wrong > 0 || done < before.done || done >= after.done) return undefined;
  // A part of the event's text was accepted.
  return {
    removed: 0,
    inserted: passage.slice(done, after.done),
    progress: { done: after.done, wrong: 0 },
  };
}
