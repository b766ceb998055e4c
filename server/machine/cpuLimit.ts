// Limits the processor time of synchronous work that depends on a model's files: regular expressions and chat
// templates. Such work blocks the process, so it cannot be interrupted in another way. Wall time would also pass while
// the process is suspended, as on a sleeping laptop.
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { createContext, Script } from 'node:vm';
import { UserError } from '../rules/userError';

const CALL = new Script('work()');
/**
 * Work that timed out after less than this share of its processor time starts again: Node.js limits wall time, which
 * also passes while the process is suspended or other programs run.
 */
const USED_SHARE = 0.8;
/** Maximum attempts; each has twice the wall time of the one before. */
const ATTEMPTS = 6;
/** Files that Node.js opens for a timeout, which has its own event loop. If it cannot open them, the process aborts. */
const LOOP_FILES = 4;

/** Error for work that has used up its processor time, or got too little of it. Other input can succeed. */
export class CpuLimitReached extends UserError {}

/** Limit for the work of one chat template or tokenizer. Nested work counts toward the outer call of `run`. */
export class CpuLimit {
  readonly #context: { work?: () => unknown } = {};
  #isLimiting = false;

  /** `subject` begins the sentence of the error, such as "The chat template of FOLDER". */
  constructor(private readonly subject: string) {}

  /**
   * Returns the result of `work`, or throws its error; throws CpuLimitReached once it has used `limitMs` of processor
   * time, or was interrupted in all attempts. Calls `work` again if the process was suspended or other programs took
   * its time, so `work` must not have side effects. While Node.js cannot open the files that a timeout needs, work runs
   * without a limit.
   */
  run<T>(limitMs: number, work: () => T): T {
    // Each timeout costs about 0.1 ms, so nested work gets none of its own.
    if (this.#isLimiting || !canSetTimeout()) return work();
    let interrupted: unknown;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const began = cpuMs();
      try {
        return this.#runWithTimeout(limitMs * 2 ** attempt, work);
      } catch (error) {
        if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT')
          throw error;
        if (cpuMs() - began >= USED_SHARE * limitMs) throw this.#limitReached(limitMs, error);
        interrupted = error;
      }
    }
    const message = `${this.subject} got too little processor time beside other programs. Try again later.`;
    throw new CpuLimitReached(message, { cause: interrupted });
  }

  #runWithTimeout<T>(timeout: number, work: () => T): T {
    createContext(this.#context);
    this.#context.work = work;
    this.#isLimiting = true;
    try {
      return CALL.runInContext(this.#context, { timeout }) as T;
    } finally {
      this.#isLimiting = false;
      delete this.#context.work;
    }
  }

  #limitReached(limitMs: number, cause: unknown): CpuLimitReached {
    const used = `used ${String(limitMs / 1000)} s of processor time without an end`;
    return new CpuLimitReached(`${this.subject} ${used}. Use a shorter text or another model.`, { cause });
  }
}

/** Returns the processor time (ms) of this thread; of the process if this Node.js cannot measure a single thread. */
function cpuMs(): number {
  const threadUsage = (process as { threadCpuUsage?: typeof process.cpuUsage }).threadCpuUsage;
  const { user, system } = threadUsage?.call(process) ?? process.cpuUsage();
  return (user + system) / 1000;
}

/** Returns whether Node.js can open the files that a timeout needs. */
function canSetTimeout(): boolean {
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
