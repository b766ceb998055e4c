// The watchdog of a program, in a process of its own: starts it, and ends it once standard input closes, which happens
// however the process that holds the other end comes to its end.
import { spawn } from 'node:child_process';

/** For the program to end once it was asked to. */
const ASK_MS = 3_000;

const [program = '', ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
const end = (): void => {
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), ASK_MS);
};
process.stdin.once('end', end).resume();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
child.once('error', ({ message }) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
child.once('exit', (code, signal) => {
  if (signal !== null) process.stderr.write(`ended by ${signal}\n`);
  process.exit(code ?? 1);
});
