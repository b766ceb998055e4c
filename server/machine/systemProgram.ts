// Runs programs of the system that describe the machine.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const TIMEOUT_MS = 2_000;

/** Returns the output of a program; rejects if there is none within two seconds. */
export async function outputOf(program: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(program, args, { timeout: TIMEOUT_MS })).stdout;
}
