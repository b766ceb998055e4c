// The one error class for problems that a user can fix: a wrong argument, a damaged file, a mismatched pair. Everything
// else that is thrown is a bug in this program. Also formats either for the log.
import { isUtf8 } from 'node:buffer';

export interface Remedy {
  /** What the user should do, in words that hold for editors and command lines. */
  readonly remedy: string;
  /** The same as a command, an option or a variable; command lines show it too. */
  readonly command?: string | undefined;
}

export interface InputProblem extends Remedy {
  /** What was needed, in words that name the file, field or option. */
  readonly expected: string;
  /** What was found instead. */
  readonly got: string;
  readonly cause?: unknown;
  /** Said instead of the other three. */
  readonly sentence?: string;
}

/** Thrown with the message "Expected X, got Y; do Z". */
export class InputError extends Error {
  constructor(readonly problem: InputProblem) {
    const { expected, got, remedy, cause, sentence } = problem;
    // What a file or an argument has there may be an empty text.
    super(
      sentence ?? `Expected ${expected}, got ${got.trim() === '' ? 'nothing' : got}; ${remedy}`,
      cause === undefined ? undefined : { cause },
    );
    this.name = 'InputError';
  }

  /** What was found, and what should have been there instead. */
  get difference(): string {
    return `expected ${this.problem.expected}, got ${this.problem.got}`;
  }

  get command(): string | undefined {
    return this.problem.command;
  }

  /** The same problem, reported for one place in a larger input. */
  at(where: string): InputError {
    return new InputError({ ...this.problem, expected: `${this.problem.expected} in ${where}`, cause: this });
  }
}

/** The person has to put a model right, not the request that met it. */
export class ModelFault extends InputError {}

/** A value as an error quotes it: JSON of at most so many characters, or what can be said of a value that has none. */
export function quoted(value: unknown, characters = 60): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  try {
    return ((JSON.stringify(value) as string | undefined) ?? 'nothing').slice(0, characters);
  } catch {
    // Nested too deeply for the stack.
    return 'a value of very many levels';
  }
}

/** Runs `work`; whatever it throws becomes what was got instead of what is `expected`. */
export function attempt<T>(expected: string, remedy: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new InputError({ expected, got: toldBy(cause), remedy, cause });
  }
}

/** The errors of the language say where a library stumbled over the input, and nothing about it. */
function toldBy(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const isForeign = [TypeError, RangeError, ReferenceError].some((kind) => cause instanceof kind);
  return isForeign || message.includes('[object ') ? 'something of another form' : message;
}

/**
 * The one mapping of what was thrown to what is told: an exit code, a status or an error code depends on `isInput`, which
 * says whether the person can put it right. The message is one line, as names in it come from files and arguments, and a
 * terminal obeys control characters, also those that turn the direction of a text.
 */
export function failureOf(error: unknown): { readonly isInput: boolean; readonly message: string } {
  const isInput = error instanceof InputError;
  const message = error instanceof Error ? error.message : String(error);
  return { isInput, message: message.replace(/\s*[\p{Cc}\p{Bidi_Control}\u2028\u2029]+\s*/gu, ' ') };
}

/** What helps where no file handle is left. */
export const FREE_FILES = 'close some, or raise the limit (ulimit -n)';

/** Whether the system had no file handle left, whatever file was to be opened with it. */
export function isOutOfFiles(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '') || isOutOfFiles(error.cause)
  );
}

/** A failed request as one line of the log, with the stack in that line. */
export function failureLine(what: string, error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return visibleText(`${what} failed: ${text.replace(/\s*[\r\n]+\s*/g, ' ')}`);
}

// Text of models, files and servers as a terminal or a log may show it: a terminal obeys control characters, which can set
// its title, fill the clipboard or hide what comes before, and shows nothing of characters that people cannot see.

const PICTURES = 0x2400;
const DELETE = 0x7f;
/** The second half of the pattern; emoji are made of some of these. */
const UNSEEN = String.raw`\r(?!\n)|[\p{Cc}--[\r\n\t]]|[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`;
const EMOJI_OR_UNSEEN = new RegExp(String.raw`\p{RGI_Emoji}|(?<unseen>${UNSEEN})`, 'gv');

/** The same with what is obeyed or unseen as pictures or numbers, but for tabs and line ends: `␛[2J`, `\u200b`. */
export function visibleText(text: string): string {
  return text.replace(EMOJI_OR_UNSEEN, (found, unseen?: string) => {
    if (unseen === undefined) return found;
    const code = unseen.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCharCode(PICTURES + code);
    if (code === DELETE) return '\u2421';
    const digits = code.toString(16);
    return code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`;
  });
}

/** Characters that `visibleText` replaces, also within emoji, without those that JSON escapes itself. */
const UNSEEN_IN_JSON = /[\x7f-\x9f\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

/** Returns the JSON of a value for a terminal: the same value, with control and unseen characters escaped. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSEEN_IN_JSON, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** The bytes of a token, for people and JSON: part of a character as OpenAI's API has it, such as \xf0\x9f. */
export function bytesText(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes).toString();
  const spelled = (byte: number): string =>
    byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`;
  return Array.from(bytes, spelled).join('');
}
