// Errors for problems that a user can fix: a wrong argument, a damaged file, a mismatched pair. Any other error is a
// bug in this program. Also formats errors for the log.
import { visibleText } from './visibleText';

export interface UserErrorOptions {
  readonly cause?: unknown;
  /** The remedy as a command, option or variable, which command lines add to the message. */
  readonly command?: string | undefined;
}

/** The message is a sentence that says what happened, and one that says what to do, in words that suit any program. */
export class UserError extends Error {
  readonly command: string | undefined;

  constructor(message: string, { cause, command }: UserErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'UserError';
    this.command = command;
  }

  /** Returns the same error for one place in a larger input. */
  at(where: string): UserError {
    return new UserError(`${this.message} (in ${where})`, { command: this.command, cause: this });
  }
}

export interface Remedy extends UserErrorOptions {
  /** Advice to the user, in words that suit editors and command lines. */
  readonly remedy: string;
}

interface Mismatch extends Remedy {
  /** Expected value, with the name of the file, field or option. */
  readonly expected: string;
  /** Value found instead. */
  readonly got: string;
}

/** A wrong value of a file, a field or an option. Its message is "Expected X, got Y; do Z". */
export class WrongValue extends UserError {
  constructor(readonly mismatch: Mismatch) {
    const { expected, got, remedy, cause, command } = mismatch;
    // The value of a file or an argument can be empty.
    const found = got.trim() === '' ? 'nothing' : got;
    super(`Expected ${expected}, got ${found}; ${remedy}`, { cause, command });
  }

  /** Expected and found value, without the remedy. */
  get difference(): string {
    return `expected ${this.mismatch.expected}, got ${this.mismatch.got}`;
  }

  override at(where: string): WrongValue {
    const { mismatch } = this;
    return new WrongValue({ ...mismatch, expected: `${mismatch.expected} in ${where}`, cause: this });
  }
}

/** A problem of the model rather than of the request that met it. */
export class ModelFault extends UserError {}

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

/** Runs `work`; throws WrongValue with the message of its error as the value found. */
export function attempt<T>(expected: string, remedy: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new WrongValue({ expected, got: messageOf(cause), remedy, cause });
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
  const isInput = error instanceof UserError;
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
