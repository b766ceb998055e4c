// Watchdog of a program, in a process of its own: starts the program, and ends it once standard input closes, which
// happens however the parent process ends. It leads a process group, so that a program that is a script ends with the
// processes it has started. If the watchdog is killed, the parent ends the group.
import { spawn } from 'node:child_process';

/** Time for the program to end after SIGTERM. */
const GRACE_MS = 3_000;

const [program = '', ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
const endGroup = (signal: NodeJS.Signals): void => void process.kill(-process.pid, signal);
let isEnding = false;
const end = (): void => {
  // The signal to the group arrives here too.
  if (isEnding) return;
  isEnding = true;
  endGroup('SIGTERM');
  setTimeout(endGroup, GRACE_MS, 'SIGKILL');
};
process.stdin.once('end', end).resume();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
child.once('error', ({ message }) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
child.once('exit', (_code, signal) => {
  if (signal !== null) process.stderr.write(`ended by ${signal}\n`);
  // A script can leave processes running that it has started.
  endGroup('SIGKILL');
});
