// The texts among a model's files, which somebody else wrote: nothing but a file is read, none that would fill the
// memory, and no JSON so deep that looking at it would use up the stack. A byte order mark is no part of a text.
import { readFileSync, statSync } from 'node:fs';
import { isTooDeep, MOST_LEVELS } from '../../rules/isTooDeep';

/** The largest tokenizers take half of it. */
const MOST_BYTES = 64e6;

/** Throws an Error that says what is there instead. */
export function readModelText(file: string): string {
  const stats = statSync(file);
  // Others, such as a pipe, might never end.
  if (!stats.isFile()) throw new Error('no file');
  if (stats.size > MOST_BYTES) throw new Error(`a file of ${String(stats.size)} bytes`);
  return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
}

/** Throws SyntaxError. */
export function parseModelJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (isTooDeep(text)) throw new SyntaxError(`more than ${String(MOST_LEVELS)} levels`);
  return parsed;
}
