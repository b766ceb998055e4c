// What somebody changed in a file, edit by edit, and how often the hint after each of them names the one that follows.
import { Edits, type TextChange } from '../../server/completion/edits';
import { nextEdit } from '../../server/completion/nextEdit';

export interface EditSession {
  readonly name: string;
  readonly languageId: string;
  readonly start: string;
  /** In the order in which they were made, each in the text that the ones before have left. */
  readonly edits: readonly TextChange[];
}

export interface HintCounts {
  readonly edits: number;
  /** Edits after which there was a hint. */
  readonly hints: number;
  /** Hints that lead to the text that the next edit leads to, and to that of any later one. */
  readonly next: number;
  readonly later: number;
}

const NO_HINTS: HintCounts = { edits: 0, hints: 0, next: 0, later: 0 };

/** Told of each hint, with the text before it. */
export type OnHint = (hint: TextChange, outcome: 'next' | 'later' | 'wrong', text: string) => void;

/** Asks for a hint after each edit, when all of it is made. */
export function playEdits({ name, languageId, start, edits }: EditSession, onHint?: OnHint): HintCounts {
  const recorded = new Edits();
  let text = start;
  const counts = { ...NO_HINTS };
  for (const [i, edit] of edits.entries()) {
    recorded.changed(name, { before: text, changes: [edit] });
    text = applied(text, edit);
    counts.edits += 1;
    const recent = recorded.recent(name, text);
    const hint = recent && nextEdit(recent, { text, languageId });
    if (hint === undefined) continue;
    counts.hints += 1;
    const hinted = applied(text, hint);
    const following = edits.slice(i + 1);
    const isNext = following[0] !== undefined && applied(text, following[0]) === hinted;
    const isLater = isNext || leadsThere(following, text, hint);
    counts.next += Number(isNext);
    counts.later += Number(isLater);
    onHint?.(hint, isNext ? 'next' : isLater ? 'later' : 'wrong', text);
  }
  return counts;
}

export function added(counts: readonly HintCounts[]): HintCounts {
  const sum = (of: (one: HintCounts) => number): number => counts.reduce((total, one) => total + of(one), 0);
  return {
    edits: sum(({ edits }) => edits),
    hints: sum(({ hints }) => hints),
    next: sum(({ next }) => next),
    later: sum(({ later }) => later),
  };
}

/** Whether one of the edits is the hint, the place of each seen from `text`. */
function leadsThere(following: readonly TextChange[], text: string, hint: TextChange): boolean {
  const hinted = applied(text, hint);
  const passed: TextChange[] = [];
  return following.some((edit) => {
    const placed = undone(edit, passed);
    passed.unshift(edit);
    return placed !== undefined && applied(text, placed) === hinted;
  });
}

/** An edit as if those in `passed`, newest first, had not been made; undefined if it is inside one of them. */
function undone(edit: TextChange, passed: readonly TextChange[]): TextChange | undefined {
  let { start, end } = edit;
  for (const { start: from, end: to, text } of passed) {
    if (end <= from) continue;
    if (start < from + text.length) return undefined;
    const growth = text.length - (to - from);
    start -= growth;
    end -= growth;
  }
  return { start, end, text: edit.text };
}

function applied(text: string, { start, end, text: by }: TextChange): string {
  return text.slice(0, start) + by + text.slice(end);
}
