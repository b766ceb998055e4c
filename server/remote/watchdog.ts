// The watchdog of a program, in a process of its own: starts it, and ends it once standard input closes, which happens
// however the process that holds the other end comes to its end. It leads a process group, so that what the program has
// started, which may be a script, ends with it. Whoever starts it ends the group if it is killed.
import { spawn } from 'node:child_process';

/** For the program to end once it was asked to. */
const ASK_MS = 3_000;

const [program = '', ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
const endGroup = (signal: NodeJS.Signals): void => void process.kill(-process.pid, signal);
let isEnding = false;
const end = (): void => {
  // What the group is sent arrives here too.
  if (isEnding) return;
  isEnding = true;
  endGroup('SIGTERM');
  setTimeout(endGroup, ASK_MS, 'SIGKILL');
};
process.stdin.once('end', end).resume();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
child.once('error', ({ message }) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
child.once('exit', (_code, signal) => {
  if (signal !== null) process.stderr.write(`ended by ${signal}\n`);
  // A script may leave behind what it has started.
  endGroup('SIGKILL');
});
