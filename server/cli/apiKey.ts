// Reads API keys from a file or pipe, such as <(pass show key), or else from an environment variable.
import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { readRegularFile } from '../machine/regularFile';
import { attempt, WrongValue } from '../rules/userError';

/** Size limit of a file with a key. */
const MAX_BYTES = 10_000;
/** Time limit for the program that writes to a pipe; it could ask for a passphrase. */
const WAIT_MS = 60_000;
const POLL_MS = 20;

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
    remedy: key === '' ? 'write the key there' : 'choose another key',
  });
}

function keyIn(file: string): string {
  return attempt(`an API key in ${file}`, 'check the path, or the program that writes to a pipe', () => {
    const bytes = statSync(file).isFIFO() ? readPipe(file) : readRegularFile(file, MAX_BYTES);
    return bytes.toString().trim();
  });
}

/** Reads a pipe to its end, and waits up to WAIT_MS for that. A pipe without a writer is empty. */
function readPipe(file: string): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const bytes = Buffer.alloc(MAX_BYTES + 1);
  try {
    let length = 0;
    for (const end = performance.now() + WAIT_MS; performance.now() < end;) {
      const read = readAvailable(descriptor, bytes.subarray(length));
      if (read === 0) return bytes.subarray(0, length);
      if (read === undefined) pause(POLL_MS);
      length += read ?? 0;
      if (length > MAX_BYTES) throw new Error('a longer text');
    }
    throw new Error(`no end within ${String(WAIT_MS / 1000)} s`);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the number of bytes read, 0 at the end, and undefined if the writer has written nothing new yet. */
function readAvailable(descriptor: number, into: Buffer): number | undefined {
  try {
    return readSync(descriptor, into);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
