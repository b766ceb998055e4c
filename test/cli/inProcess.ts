// Runs the command line in this process, which takes milliseconds. Only for commands that end before they decode: a
// decode leaves its engine and signal handlers behind.
import { benchCommands } from '../../bench/benchCommands';
import { main } from '../../server/cli/main';
import type { Outcome } from './flashline';

/** Returns the output and exit code of a command. Run one at a time: the output of anything else would be included. */
export async function inProcess(args: readonly string[], { cwd = process.cwd() } = {}): Promise<Outcome> {
  const before = { cwd: process.cwd(), exitCode: process.exitCode, initCwd: process.env['INIT_CWD'] };
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) capture(name, (text) => (output[name] += text));
  process.exitCode = undefined;
  // The command line resolves paths against INIT_CWD, which npm has set for the tests.
  delete process.env['INIT_CWD'];
  process.chdir(cwd);
  try {
    await (args[0] === 'bench' || args[0] === 'replay' ? benchCommands : main)(args);
    return { code: Number(process.exitCode ?? 0), signal: null, ...output };
  } finally {
    process.chdir(before.cwd);
    process.exitCode = before.exitCode;
    if (before.initCwd !== undefined) process.env['INIT_CWD'] = before.initCwd;
    for (const stream of [process.stdout, process.stderr]) Reflect.deleteProperty(stream, 'write');
  }
}

/** Replaces the method of a stream with one that captures its text. */
function capture(name: 'stdout' | 'stderr', onText: (text: string) => void): void {
  process[name].write = (text: string | Uint8Array) => {
    onText(String(text));
    return true;
  };
}
