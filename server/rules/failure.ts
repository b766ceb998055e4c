// Formats thrown values for users and for the log.
import { UserError } from './userError';
import { visibleText } from './visibleText';

/**
 * Maps a thrown value to a message and to whether the user can fix the problem (`isInput`), which decides about exit
 * codes, HTTP statuses and error codes. The message is one line without control or direction characters: it can quote
 * files and arguments, and terminals obey such characters.
 */
export function failureOf(error: unknown): { readonly isInput: boolean; readonly message: string } {
  const isInput = error instanceof UserError;
  const message = error instanceof Error ? error.message : String(error);
  return { isInput, message: message.replace(/\s*[\p{Cc}\p{Bidi_Control}\u2028\u2029]+\s*/gu, ' ') };
}

/** Formats the failure of `what` as one line for the log, with the stack. */
export function failureLine(what: string, error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return visibleText(`${what} failed: ${text.replace(/\s*[\r\n]+\s*/g, ' ')}`);
}
