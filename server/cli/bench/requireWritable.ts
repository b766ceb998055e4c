// The check of a file that results will be written to.
import { closeSync, openSync } from 'node:fs';
import { InputError } from '../../inputError';

/** Said before minutes of measuring, not after them. */
export function requireWritable(file: string): void {
  try {
    closeSync(openSync(file, 'a'));
  } catch (cause) {
    throw new InputError({
      expected: '--json to be a file that can be written',
      got: `"${file}"`,
      remedy: 'check the path and its permissions',
      cause,
    });
  }
}
