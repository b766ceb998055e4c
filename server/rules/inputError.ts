// Error for problems that a user can fix: a wrong argument, a damaged file, a mismatched pair. Any other error is a bug
// in this program. Also formats errors for the log.
import { visibleText } from './visibleText';

export interface Remedy {
  /** Advice to the user, in words that suit editors and command lines. */
  readonly remedy: string;
  /** The remedy as a command, option or variable, which command lines add. */
  readonly command?: string | undefined;
}

export interface InputProblem extends Remedy {
  /** Expected value, with the name of the file, field or option. */
  readonly expected: string;
  /** Value found instead. */
  readonly got: string;
  readonly cause?: unknown;
  /** Message for an event, in place of "Expected X, got Y; do Z". */
  readonly sentence?: string;
}

/** Has the message "Expected X, got Y; do Z" unless the problem has a sentence. */
export class InputError extends Error {
  constructor(readonly problem: InputProblem) {
    const { expected, got, remedy, cause, sentence } = problem;
    // The value of a file or an argument can be empty.
    super(
      sentence ?? `Expected ${expected}, got ${got.trim() === '' ? 'nothing' : got}; ${remedy}`,
      cause === undefined ? undefined : { cause },
    );
    this.name = 'InputError';
  }

  /** Expected and found value, without the remedy. */
  get difference(): string {
    return `expected ${this.problem.expected}, got ${this.problem.got}`;
  }

  get command(): string | undefined {
    return this.problem.command;
  }

  /** Returns the same problem for one place in a larger input. */
  at(where: string): InputError {
    return new InputError({ ...this.problem, expected: `${this.problem.expected} in ${where}`, cause: this });
  }
}

/** A problem of the model rather than of the request that met it. */
export class ModelFault extends InputError {}

/** Quotes a value for an error: as JSON of at most `characters`, or in words where JSON has no form for it. */
export function quoted(value: unknown, characters = 60): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  try {
    return ((JSON.stringify(value) as string | undefined) ?? 'nothing').slice(0, characters);
  } catch {
    // Nested too deeply for the stack.
    return 'a value of very many levels';
  }
}

/** Runs `work`; throws InputError with the message of its error as the value found. */
export function attempt<T>(expected: string, remedy: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new InputError({ expected, got: messageOf(cause), remedy, cause });
  }
}

/** Replaces errors of the language, which describe a library's code and not the input. */
function messageOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const isForeign = [TypeError, RangeError, ReferenceError].some((kind) => cause instanceof kind);
  return isForeign || message.includes('[object ') ? 'something of another form' : message;
}

/**
 * Maps a thrown value to a message and whether the user can fix the problem (`isInput`), on which exit codes, HTTP
 * statuses and error codes depend. The message is one line without control or direction characters: names in it come
 * from files and arguments, and a terminal obeys such characters.
 */
export function failureOf(error: unknown): { readonly isInput: boolean; readonly message: string } {
  const isInput = error instanceof InputError;
  const message = error instanceof Error ? error.message : String(error);
  return { isInput, message: message.replace(/\s*[\p{Cc}\p{Bidi_Control}\u2028\u2029]+\s*/gu, ' ') };
}

/** Remedy when no file handle is left. */
export const FREE_FILES = 'close some, or raise the limit (ulimit -n)';

/** Returns whether an error was caused by a lack of file handles, for any file. */
export function isOutOfFiles(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '') || isOutOfFiles(error.cause)
  );
}

/** Formats a failed request as one line of the log, stack included. */
export function failureLine(what: string, error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return visibleText(`${what} failed: ${text.replace(/\s*[\r\n]+\s*/g, ' ')}`);
}
