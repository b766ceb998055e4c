// Work whose time a model's files decide, with their regular expressions and their template: it is synchronous, so that
// nothing else in the process could end it.
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { createContext, Script } from 'node:vm';
import { InputError } from '../rules/inputError';
import { setImmediate } from 'node:timers/promises';

const surroundings: { work?: () => unknown } = {};
const call = new Script('work()');
let isWatched = false;

/**
 * Throws InputError when `work`, which is that of `what`, takes longer; what it throws itself is passed on. Within
 * another one it is the limit of that which holds, as each costs as much as encoding a line.
 */
export function withinTime<T>(limitMs: number, what: string, work: () => T): T {
  if (isWatched || !canWatch()) return work();
  createContext(surroundings);
  isWatched = true;
  surroundings.work = work;
  try {
    return call.runInContext(surroundings, { timeout: limitMs }) as T;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw cause;
    const got = `none within ${String(limitMs / 1000)} s`;
    throw new InputError({ expected: `an end of ${what}`, got, remedy: 'use another model', cause });
  } finally {
    isWatched = false;
    delete surroundings.work;
  }
}

/** The watch needs an event loop of its own, and Node.js ends the process where no files for it can be opened. */
const LOOP_FILES = 4;

function canWatch(): boolean {
  const files: number[] = [];
  try {
    while (files.length < LOOP_FILES) files.push(openSync(devNull, 'r'));
    return true;
  } catch {
    return false;
  } finally {
    for (const file of files) closeSync(file);
  }
}

// Long work in parts, between which the others in the process have their turn.

/** Until others have their turn. */
const SLICE_MS = 10;

let sliceBegan = 0;

/** Lets the others go first, if somebody who asks here has worked for some milliseconds since they could. */
export async function othersTurn(): Promise<void> {
  if (performance.now() - sliceBegan <= SLICE_MS) return;
  await setImmediate();
  sliceBegan = performance.now();
}
