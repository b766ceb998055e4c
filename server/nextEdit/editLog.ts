// Log of recent edits: small changes of one place form an event, by Zed's rule. Undo and redo take events back. Secrets
// obey the rules of prompts, also in text that was deleted since.
import { createHash } from 'node:crypto';
import type { DocumentSnapshot } from '../completion/prompt/context';
import { mayEnterPrompts } from '../completion/prompt/eligibility';
import { changedLines, withChange, type LineChange } from '../rules/lineDiff';
import { isMiddleOfKey } from '../rules/secretTexts';
import { trimmed } from './textEdit';

/** One change: lines `before` gave way to lines `after`. */
export interface EditEvent {
  readonly uri: string;
  /** File name, as shown to the model. */
  readonly path: string;
  /** First changed line, from 0, in the text after the event. */
  readonly line: number;
  /** Line above the change, for forms that show where an insertion belongs. */
  readonly above: string | undefined;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Time of the last change in it. */
  readonly at: number;
  /** Whether the person accepted it as a suggestion. */
  readonly isPrediction: boolean;
}

interface LoggedDocument {
  readonly lines: readonly string[];
  /** Digests of its latest texts, oldest first. */
  readonly states: readonly string[];
  /** Whether the last change calls for no suggestion: undo, redo, formatting, a long paste. */
  readonly isQuiet: boolean;
}

/** Changes of one event are at most this many lines and milliseconds apart. */
const NEAR_LINES = 8;
const PAUSE_MS = 1000;
const MOST_EVENTS = 10;
/** Texts of a document that count as its recent states. */
const MOST_STATES = 64;
/** A change of this size comes from a paste, a formatter or another program. */
const [LONG_PASTE, LINES_OF_PASTE] = [200, 8];
/** Longer documents are not logged: each key would cost milliseconds. */
const LONGEST_TEXT = 400_000;

export class EditLog {
  readonly #documents = new Map<string, LoggedDocument>();
  /** Oldest first. */
  #events: readonly EditEvent[] = [];

  /**
   * Notes a version of a document and returns how it differs from the one before. Forgets documents that must not enter
   * prompts.
   */
  changed(document: DocumentSnapshot, now: number, isPrediction = false): LineChange | undefined {
    const { uri, text, ineligible } = document;
    if (ineligible !== undefined || text.length > LONGEST_TEXT) {
      this.closed(uri);
      return undefined;
    }
    const lines = linesOf(text);
    const state = digest(lines);
    const known = this.#documents.get(uri);
    if (known === undefined) {
      this.#documents.set(uri, { lines, states: [state], isQuiet: false });
      return undefined;
    }
    const change = changedLines(known.lines, lines);
    if (change === undefined) return undefined;
    const isRepeated = known.states.includes(state);
    if (!isRepeated || !this.#takeBack(uri, known.lines, lines))
      this.#add(document, known.lines, { change, now, isPrediction });
    const states = [...known.states.filter((other) => other !== state), state].slice(-MOST_STATES);
    const isQuiet = isRepeated || (!isPrediction && isPaste(change, known.lines));
    this.#documents.set(uri, { lines, states, isQuiet });
    return change;
  }

  /** The document must not be quoted any more. */
  closed(uri: string): void {
    this.#documents.delete(uri);
    this.#events = this.#events.filter((event) => event.uri !== uri);
  }

  /** Forgets everything. */
  clear(): void {
    this.#documents.clear();
    this.#events = [];
  }

  /** Lines of a logged document. */
  lines(uri: string): readonly string[] | undefined {
    return this.#documents.get(uri)?.lines;
  }

  /** Whether the last change of a document calls for a suggestion. */
  mayAsk(uri: string): boolean {
    const document = this.#documents.get(uri);
    return document?.isQuiet === false && this.#events.some((event) => event.uri === uri);
  }

  /** Events, oldest first: of one document, or of all. */
  events(uri?: string): readonly EditEvent[] {
    return uri === undefined ? this.#events : this.#events.filter((event) => event.uri === uri);
  }

  /** Whether a document had these lines recently. */
  hadLines(uri: string, lines: readonly string[]): boolean {
    return this.#documents.get(uri)?.states.includes(digest(lines)) === true;
  }

  /** Removes the latest events of a document if its new text is the one before them. */
  #takeBack(uri: string, lines: readonly string[], now: readonly string[]): boolean {
    let earlier = lines;
    for (const event of this.events(uri).toReversed()) {
      earlier = undone(earlier, event);
      const events = this.events(uri);
      if (!sameLines(earlier, now)) continue;
      const removed = new Set(events.slice(events.indexOf(event)));
      this.#events = this.#events.filter((each) => !removed.has(each));
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
      ...{ uri, path: fileName, line: change.at, above: lines[change.at - 1], at: now, isPrediction },
      before: lines.slice(change.at, change.at + change.removed),
      after: change.added,
    };
    const last = this.#events.at(-1);
    const isOne = last !== undefined && !isPrediction && isContinued(last, next);
    const event = isOne ? merged(last, next, lines) : next;
    const others = isOne ? this.#events.slice(0, -1) : this.#events;
    // Typing that was taken back by hand is no event.
    const isNone = sameLines(event.before, event.after);
    this.#events = isNone ? others : [...others, event].slice(-MOST_EVENTS);
  }
}

/** Splits a text as editors do. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

/** Returns the lines before an event, given those after it. */
export function undone(lines: readonly string[], { line, before, after }: EditEvent): readonly string[] {
  return withChange(lines, { at: line, removed: after.length, added: before });
}

/**
 * Returns the events that prompts may quote: by their texts as they were and their files as they are now, and none if
 * together they have the lines of a key.
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

/** Whether an event changes more than white space. */
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

/** Joins two events with the unchanged lines between them. `lines` is the text between the events. */
function merged(last: EditEvent, next: EditEvent, lines: readonly string[]): EditEvent {
  const [lastEnd, nextEnd] = [last.line + last.after.length, next.line + next.before.length];
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

function isPaste({ at, removed, added }: LineChange, lines: readonly string[]): boolean {
  const { inserted } = trimmed(lines.slice(at, at + removed).join('\n'), added.join('\n'));
  return inserted.length >= LONG_PASTE || inserted.split('\n').length >= LINES_OF_PASTE;
}

function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, i) => line === b[i]);
}

/** Stands for a text, whatever its line ends. */
export function digest(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('base64');
}
