// Log of recent edits. Changes close together in place and time form one event, by Zed's rule; undo removes events, and
// redo adds them again. Text that must stay out of prompts is never quoted, not even after it was deleted.
import { createHash } from 'node:crypto';
import type { DocumentSnapshot } from '../completion/prompt/context';
import { mayEnterPrompts, whyIneligible } from '../completion/prompt/eligibility';
import { changedLines, sameLines, withChange, type LineChange } from '../rules/lineDiff';
import { isMiddleOfKey } from '../rules/secretTexts';
import { areBulk, insertedText, insertionOf, recentInsertions, type Insertion } from './bulkInsertions';

/** One change: lines `before` were replaced by lines `after`. */
export interface EditEvent {
  readonly uri: string;
  /** File name, as shown to the model. */
  readonly path: string;
  /** First changed line, from 0, in the text after the event. */
  readonly line: number;
  /** Line above the change, for formats that show where an insertion belongs. */
  readonly above: string | undefined;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Time of the event's last change, in ms. */
  readonly at: number;
  /** Whether the change is an accepted suggestion. */
  readonly isPrediction: boolean;
}

interface LoggedDocument {
  /** Its latest version. */
  readonly snapshot: DocumentSnapshot;
  readonly lines: readonly string[];
  /** Digests of its latest texts, oldest first. */
  readonly states: readonly string[];
  /** Recent insertions that were neither typed nor suggested. */
  readonly insertions: readonly Insertion[];
  /**
   * Whether no automatic suggestion follows the last change: undo, redo, or a large insertion that was neither typed
   * nor suggested.
   */
  readonly isQuiet: boolean;
}

/** Changes of one event are at most this many lines and milliseconds apart. */
const NEAR_LINES = 8;
const PAUSE_MS = 1000;
const MAX_EVENTS = 10;
/** Number of recent texts of a document to remember, so that going back to one is recognised. */
const MAX_STATES = 64;
/** Longer documents are not logged: each key would cost milliseconds. */
const MAX_TEXT_LENGTH = 400_000;

export class EditLog {
  readonly #documents = new Map<string, LoggedDocument>();
  /** Events of all documents, oldest first. */
  #events: readonly EditEvent[] = [];

  /**
   * Records a version of a document, and returns its difference from the previous version; undefined if there is none.
   * Forgets documents that must not enter prompts or are too long. `isAcceptedEdit` returns whether the new lines result
   * from a suggested edit. `offered` are suggestions of ghost text, whose insertion does not count as a paste.
   */
  changed(
    document: DocumentSnapshot,
    now: number,
    isAcceptedEdit: (lines: readonly string[]) => boolean = () => false,
    offered: readonly string[] = [],
  ): LineChange | undefined {
    const { uri, text } = document;
    if (whyIneligible(document) !== undefined || text.length > MAX_TEXT_LENGTH) {
      this.closed(uri);
      return undefined;
    }
    const lines = linesOf(text);
    const state = digest(lines);
    const previous = this.#documents.get(uri);
    if (previous === undefined) {
      this.#documents.set(uri, {
        snapshot: document,
        lines,
        states: [state],
        insertions: [],
        isQuiet: false,
      });
      return undefined;
    }
    const change = changedLines(previous.lines, lines);
    if (change === undefined) {
      this.#documents.set(uri, { ...previous, snapshot: document });
      return undefined;
    }
    const isPrediction = isAcceptedEdit(lines);
    const isRepeated = previous.states.includes(state);
    if (!isRepeated || !this.#removeUndone(uri, previous.lines, lines))
      this.#add(document, previous.lines, { change, now, isPrediction });
    const states = [...previous.states.filter((earlier) => earlier !== state), state].slice(-MAX_STATES);
    const inserted = insertedText(change, previous.lines);
    const isAccepted = isPrediction || offered.some((text) => isPartOf(inserted, text));
    const insertion = isAccepted ? undefined : insertionOf(inserted, now);
    const insertions = [...recentInsertions(previous.insertions, now), ...(insertion ? [insertion] : [])];
    const isQuiet = isRepeated || (insertion !== undefined && areBulk(insertions));
    this.#documents.set(uri, { snapshot: document, lines, states, insertions, isQuiet });
    return change;
  }

  /** Forgets a document and its events. */
  closed(uri: string): void {
    this.#documents.delete(uri);
    this.#events = this.#events.filter((event) => event.uri !== uri);
  }

  /** Returns the latest version of a logged document. */
  document(uri: string): DocumentSnapshot | undefined {
    return this.#documents.get(uri)?.snapshot;
  }

  /** Returns the lines of a logged document. */
  lines(uri: string): readonly string[] | undefined {
    return this.#documents.get(uri)?.lines;
  }

  /** Returns whether an automatic suggestion can follow the last change of a document. */
  isEditDue(uri: string): boolean {
    const document = this.#documents.get(uri);
    return document?.isQuiet === false && this.#events.some((event) => event.uri === uri);
  }

  /** Returns the events of one document or of all, oldest first. */
  events(uri?: string): readonly EditEvent[] {
    return uri === undefined ? this.#events : this.#events.filter((event) => event.uri === uri);
  }

  /** Returns whether a document had exactly these lines recently. */
  hadLines(uri: string, lines: readonly string[]): boolean {
    return this.#documents.get(uri)?.states.includes(digest(lines)) === true;
  }

  /** Removes the latest events of a document if its new text equals the text before them. */
  #removeUndone(uri: string, lines: readonly string[], newLines: readonly string[]): boolean {
    const events = this.events(uri);
    let earlier = lines;
    for (const event of events.toReversed()) {
      earlier = undone(earlier, event);
      if (!sameLines(earlier, newLines)) continue;
      const removed = new Set(events.slice(events.indexOf(event)));
      this.#events = this.#events.filter((logged) => !removed.has(logged));
      return true;
    }
    return false;
  }

  #add(
    { uri, fileName }: DocumentSnapshot,
    lines: readonly string[],
    { change, now, isPrediction }: { change: LineChange; now: number; isPrediction: boolean },
  ): void {
    const next: EditEvent = {
      uri,
      path: fileName,
      line: change.at,
      above: lines[change.at - 1],
      before: lines.slice(change.at, change.at + change.removed),
      after: change.added,
      at: now,
      isPrediction,
    };
    const last = this.#events.at(-1);
    const isContinuation = last !== undefined && !isPrediction && isContinued(last, next);
    const event = isContinuation ? merged(last, next, lines) : next;
    const earlierEvents = isContinuation ? this.#events.slice(0, -1) : this.#events;
    // Typing that the user deleted again is not an event.
    const isUndone = sameLines(event.before, event.after);
    this.#events = isUndone ? earlierEvents : [...earlierEvents, event].slice(-MAX_EVENTS);
  }
}

/** Splits a text into lines as editors do. */
export function linesOf(text: string): string[] {
  // Splitting by a string takes less than half the time, and this runs at each key press.
  return text.includes('\r') ? text.split(/\r\n|\r|\n/) : text.split('\n');
}

/** Returns the lines before an event, given those after it. */
export function undone(lines: readonly string[], { line, before, after }: EditEvent): readonly string[] {
  return withChange(lines, { at: line, removed: after.length, added: before });
}

/**
 * Returns the events that prompts can quote: those without secrets, in files that are not secret. Returns none if their
 * lines together could be those of a private key.
 */
export function quotable(events: readonly EditEvent[]): readonly EditEvent[] {
  const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  const isKey = [events.flatMap(({ before }) => before), events.flatMap(({ after }) => after)]
    .map(text)
    .some(isMiddleOfKey);
  return isKey
    ? []
    : events.filter(({ uri, above = '', before, after }) =>
        [before, after].every((lines) => mayEnterPrompts(uri, text([above, ...lines]))),
      );
}

/** Returns whether an event changes more than white space. */
export function isVisible({ before, after }: EditEvent): boolean {
  return withoutSpace(before) !== withoutSpace(after);
}

function withoutSpace(lines: readonly string[]): string {
  return lines.join('').replace(/\s+/g, '');
}

function isContinued(last: EditEvent, next: EditEvent): boolean {
  if (last.uri !== next.uri || last.isPrediction || next.at - last.at > PAUSE_MS) return false;
  return (
    next.line - (last.line + last.after.length) < NEAR_LINES &&
    last.line - (next.line + next.before.length) < NEAR_LINES
  );
}

/** Joins two events with the unchanged lines between them. `lines` is the document after the first event. */
function merged(last: EditEvent, next: EditEvent, lines: readonly string[]): EditEvent {
  const lastEnd = last.line + last.after.length;
  const nextEnd = next.line + next.before.length;
  const start = Math.min(last.line, next.line);
  const end = Math.max(lastEnd, nextEnd);
  const before = [...lines.slice(start, last.line), ...last.before, ...lines.slice(lastEnd, end)];
  const after = [...lines.slice(start, next.line), ...next.after, ...lines.slice(nextEnd, end)];
  const change = changedLines(before, after);
  const { at, removed, added } = change ?? { at: 0, removed: 0, added: [] };
  const line = start + at;
  const above = at > 0 ? before[at - 1] : lines[start - 1];
  return { ...next, line, above, before: before.slice(at, at + removed), after: added };
}

/**
 * Returns whether an inserted text is a part of an offered one. The text can be rotated: inserting "}\n" before a brace
 * is the same as inserting "\n}" after it.
 */
function isPartOf(inserted: string, offered: string): boolean {
  const text = inserted.replace(/\n$/, '');
  return text.length <= offered.length && (offered + offered).includes(text);
}

/** Returns a hash of a text, without regard to its line ends. */
function digest(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('base64');
}
