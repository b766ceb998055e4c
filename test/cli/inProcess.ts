// A command line of the program in this process, where it takes milliseconds. Only for what ends before it decodes: a
// decode leaves its engine and its interest in signals to the end of the process.
import { benchCommands } from '../../bench/benchCommands';
import { main } from '../../server/cli/main';
import type { Outcome } from './flashline';

/** What a process of its own would print, and its exit code; the program takes benchmarks from another file. One at a time; nothing else may print meanwhile. */
export async function inProcess(args: readonly string[], { cwd = process.cwd() } = {}): Promise<Outcome> {
  const before = { cwd: process.cwd(), exitCode: process.exitCode, initCwd: process.env['INIT_CWD'] };
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) capture(name, (text) => (said[name] += text));
  process.exitCode = undefined;
  delete process.env['INIT_CWD'];
  process.chdir(cwd);
  try {
    await (args[0] === 'bench' || args[0] === 'replay' ? benchCommands : main)(args);
    return { code: Number(process.exitCode ?? 0), signal: null, ...said };
  } finally {
    process.chdir(before.cwd);
    process.exitCode = before.exitCode;
    if (before.initCwd !== undefined) process.env['INIT_CWD'] = before.initCwd;
    for (const stream of [process.stdout, process.stderr]) Reflect.deleteProperty(stream, 'write');
  }
}

/** Takes what is printed, instead of the method that the stream has from its class. */
function capture(name: 'stdout' | 'stderr', take: (text: string) => void): void {
  process[name].write = (text: string | Uint8Array) => {
    take(String(text));
    return true;
  };
}
