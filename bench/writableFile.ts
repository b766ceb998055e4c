// A file that is written at the end of a long run.
import { closeSync, openSync } from 'node:fs';
import { InputError } from '../server/rules/inputError';

/** Checked before minutes of measuring, not after them. Throws InputError; creates the file if it does not exist. */
export function requireWritableFile(option: string, file: string): void {
  try {
    closeSync(openSync(file, 'a'));
  } catch (cause) {
    throw new InputError({
      expected: `${option} to be a file that can be written`,
      got: `"${file}"`,
      remedy: 'check the path and its permissions',
      cause,
    });
  }
}
