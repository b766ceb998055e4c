// A limit for work whose length a model's files decide, with their regular expressions and their template. Such work is
// synchronous, so that nothing else in the process could end it. Processor time counts: a process that the system holds
// up, as a laptop that sleeps does, has not worked.
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { createContext, Script } from 'node:vm';
import { InputError } from '../rules/inputError';

const CALL = new Script('work()');
/** The watch of Node.js measures wall time. Work that it ends with less than this share of its limit used starts again. */
const USED_SHARE = 0.8;
/** Each attempt has twice the wall time of the one before. */
const ATTEMPTS = 6;
/** The watch needs an event loop of its own, and Node.js ends the process where no files for it can be opened. */
const LOOP_FILES = 4;

/** Thrown for work that has used up its processor time. The same work can succeed later, with another input. */
export class CpuLimitReached extends InputError {}

/** Limits the work of one object. Work within other work of it counts to that, as each watch costs some 0.1 ms. */
export class CpuLimit {
  readonly #surroundings: { work?: () => unknown } = {};
  #isWatching = false;

  /** `subject` begins the sentence of an error, such as "The chat template of FOLDER". */
  constructor(private readonly subject: string) {}

  /**
   * Returns the result of `work`, and throws what it throws. Throws CpuLimitReached for work that needs more than
   * `limitMs` of processor time. Calls `work` again if the process was held up, so it must not change anything that
   * matters.
   */
  run<T>(limitMs: number, work: () => T): T {
    if (this.#isWatching || !canWatch()) return work();
    let cause: unknown;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const began = cpuMs();
      try {
        return this.#watched(limitMs * 2 ** attempt, work);
      } catch (error) {
        if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT')
          throw error;
        cause = error;
        if (cpuMs() - began >= USED_SHARE * limitMs) break;
      }
    }
    throw this.#reached(limitMs, cause);
  }

  #watched<T>(timeout: number, work: () => T): T {
    createContext(this.#surroundings);
    this.#surroundings.work = work;
    this.#isWatching = true;
    try {
      return CALL.runInContext(this.#surroundings, { timeout }) as T;
    } finally {
      this.#isWatching = false;
      delete this.#surroundings.work;
    }
  }

  #reached(limitMs: number, cause: unknown): CpuLimitReached {
    const got = `used ${String(limitMs / 1000)} s of processor time without an end`;
    const remedy = 'use a shorter text or another model';
    const sentence = `${this.subject} ${got}. Use a shorter text or another model.`;
    return new CpuLimitReached({ sentence, expected: `an end of its work`, got, remedy, cause });
  }
}

/** Processor time of this thread, or of the whole process in versions of Node.js that cannot tell threads apart. */
function cpuMs(): number {
  const ofThread = (process as { threadCpuUsage?: typeof process.cpuUsage }).threadCpuUsage;
  const { user, system } = ofThread?.call(process) ?? process.cpuUsage();
  return (user + system) / 1000;
}

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
