// How far a passage is typed, and what an event of the trace still changes in it: accepted suggestions have already
// done the work of some events.

export interface Progress {
  /** Characters of the passage that are in the document. */
  readonly done: number;
  /** Characters after them that do not belong there. */
  readonly wrong: number;
}

/** A change before the cursor: characters are removed, then the text is inserted. */
export interface Change {
  readonly removed: number;
  readonly inserted: string;
}

/** A change that the person makes by keyboard. */
export interface EditEvent extends Change {
  readonly kind: 'key' | 'newline' | 'slip' | 'backspace' | 'deleteLine' | 'undo';
  /** Milliseconds before it, as for all events. */
  readonly pauseMs: number;
  /** How far the passage is typed if no suggestion was accepted. */
  readonly before: Progress;
  readonly after: Progress;
}

/** How far the passage is typed after it. */
export interface Edit extends Change {
  readonly progress: Progress;
}

/** Undefined when nothing is left to do for the event. */
export function editFor(event: EditEvent, progress: Progress, passage: string): Edit | undefined {
  const { before, after, removed, inserted } = event;
  const { done, wrong } = progress;
  if (done === before.done && wrong === before.wrong) return { removed, inserted, progress: after };
  if (wrong > 0 || done < before.done || done >= after.done) return undefined;
  // A part of what the event types has been accepted.
  return {
    removed: 0,
    inserted: passage.slice(done, after.done),
    progress: { done: after.done, wrong: 0 },
  };
}
