// Recognises text that was not typed: pastes, and insertions by formatters and other programs, which can come in parts.
import type { LineChange } from '../rules/lineDiff';
import { changedText } from './textEdit';

/** Size of an inserted text that no single key inserts. */
export interface Insertion {
  /** Time in ms. */
  readonly at: number;
  readonly characters: number;
  /** Number of lines; 0 for a part of a line. */
  readonly lines: number;
}

/** Insertions within this time count together. */
const TOGETHER_MS = 1500;
/** Insertions of this size together, in characters or in lines, were not typed. */
const BULK_CHARACTERS = 200;
const BULK_LINES = 8;
/** Matches text that one key inserts: a character, a pair of brackets, or a line break with indentation. */
const OF_ONE_KEY = /^(?:.{0,2}|[ \t]*(?:\n[ \t]*)?)$/u;

/** Returns the text that a change of these lines inserts, with \n for line ends. */
export function insertedText(change: LineChange, lines: readonly string[]): string {
  if (change.removed === 0) return change.added.map((line) => `${line}\n`).join('');
  return changedText(change, lines).inserted;
}

/** Returns the size of an inserted text; undefined if one key inserts it. */
export function insertionOf(text: string, at: number): Insertion | undefined {
  if (OF_ONE_KEY.test(text)) return undefined;
  const lines = text.includes('\n') ? text.replace(/\n$/, '').split('\n').length : 0;
  return { at, characters: text.length, lines };
}

/** Returns the insertions that count together with one at `now`. */
export function recentInsertions(insertions: readonly Insertion[], now: number): readonly Insertion[] {
  return insertions.filter(({ at }) => now - at < TOGETHER_MS);
}

/** Returns whether insertions are together too large to be typed. */
export function areBulk(insertions: readonly Insertion[]): boolean {
  const sum = (count: (insertion: Insertion) => number): number =>
    insertions.reduce((total, insertion) => total + count(insertion), 0);
  return sum(({ characters }) => characters) >= BULK_CHARACTERS || sum(({ lines }) => lines) >= BULK_LINES;
}
