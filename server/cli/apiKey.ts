// Reads API keys from a file or pipe, such as <(pass show key), or else from an environment variable.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { readRegularFile } from '../machine/regularFile';
import { attempt, WrongValue } from '../rules/userError';

/** Size limit of a file or pipe with a key. */
const MAX_BYTES = 10_000;

/**
 * Returns a key; undefined if no file is given and the variable is unset. Throws UserError for an invalid key, and for
 * a file that cannot be read.
 */
export function keyFrom(file: string | undefined, variable: string): string | undefined {
  const key = file === undefined ? process.env[variable] : keyIn(file);
  if (key === undefined || /^[\x21-\x7e]+$/.test(key)) return key;
  const expected = `an API key of visible ASCII characters in ${file ?? variable}`;
  throw new WrongValue({
    expected,
    got: key === '' ? 'nothing' : 'other characters',
    remedy: key === '' ? 'write the key there' : 'correct the key',
  });
}

function keyIn(file: string): string {
  return attempt(`an API key in ${file}`, 'check the path, or the program that writes to a pipe', () => {
    const bytes = statSync(file).isFIFO() ? readPipe(file) : readRegularFile(file, MAX_BYTES);
    return bytes.toString().trim();
  });
}

/** Waits for the program that writes to the pipe, which can ask for a passphrase first. Ctrl+C ends the wait. */
function readPipe(file: string): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    for (let size = 0; size < bytes.length;) {
      const count = readSync(descriptor, bytes, size, bytes.length - size, null);
      if (count === 0) return bytes.subarray(0, size);
      size += count;
    }
    throw new Error(`more than ${String(MAX_BYTES)} bytes`);
  } finally {
    closeSync(descriptor);
  }
}
