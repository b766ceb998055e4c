// Errors for problems that a user can fix, such as a wrong argument, a damaged file or a mismatched pair. Other errors
// are bugs, cancelled loads, and failures of the system.
import { tooManyOpenFiles } from './openFiles';

export interface UserErrorOptions {
  readonly cause?: unknown;
  /** Remedy as a command, an option or a variable. The command line adds it to the message. */
  readonly command?: string | undefined;
}

/** The message is a sentence with what has happened and one with what to do, in words that suit every program. */
export class UserError extends Error {
  readonly command: string | undefined;

  constructor(message: string, { cause, command }: UserErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'UserError';
    this.command = command;
  }

  /** Returns the same error with its place in a larger input, such as a line of a file. */
  at(where: string): UserError {
    return new UserError(`${this.message} (in ${where})`, { command: this.command, cause: this });
  }
}

export interface Remedy extends UserErrorOptions {
  /** Advice to the user, in words that suit editors and command lines. */
  readonly remedy: string;
}

export interface Mismatch extends Remedy {
  /** Expected value, with the name of the file, field or option. */
  readonly expected: string;
  /** Value found instead. */
  readonly got: string;
}

/** Error for a wrong value of a file, a field or an option. Its message is "Expected X, got Y; do Z". */
export class WrongValue extends UserError {
  constructor(readonly mismatch: Mismatch) {
    const { expected, got, remedy, cause, command } = mismatch;
    // The value can be empty.
    const found = got.trim() === '' ? 'nothing' : got;
    super(`Expected ${expected}, got ${found}; ${remedy}`, { cause, command });
  }

  /** The expected and the found value, without the remedy. */
  get difference(): string {
    return `expected ${this.mismatch.expected}, got ${this.mismatch.got}`;
  }

  override at(where: string): WrongValue {
    const { mismatch } = this;
    return new WrongValue({ ...mismatch, expected: `${mismatch.expected} in ${where}`, cause: this });
  }
}

/** Error for a problem of the model, not of the request that met it. */
export class ModelFault extends UserError {}

/** Quotes a value for an error: as JSON of at most `characters`, or in words if JSON cannot represent it. */
export function quoted(value: unknown, characters = 60): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  try {
    return ((JSON.stringify(value) as string | undefined) ?? 'nothing').slice(0, characters);
  } catch {
    // JSON.stringify overflows the stack if the value is nested too deeply.
    return 'a value nested too deeply';
  }
}

/** Runs `work`, and returns a UserError that it throws. Other errors are thrown on. */
export function orUserError<T>(work: () => T): T | UserError {
  try {
    return work();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

/**
 * Runs `work`. Throws its UserErrors unchanged, and WrongValue for any other error, with the message of that error as
 * the value found. If no file handle is left, the remedy is for that instead of `remedy`.
 */
export function attempt<T>(expected: string, remedy: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    throw new WrongValue({ expected, got: messageOf(cause), remedy, ...tooManyOpenFiles(cause), cause });
  }
}

/** Returns the message of an error. Errors of JavaScript itself describe a library's code, not the input. */
function messageOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const isForeign = [TypeError, RangeError, ReferenceError].some((kind) => cause instanceof kind);
  return isForeign || message.includes('[object ') ? 'a value of an unexpected form' : message;
}
