// Runs other programs for the set-up scripts, quietly, and reports a failure in one clear closing line.
// The output of a program is held back and shown only if it failed, so that a good run stays short.
import { spawnSync } from 'node:child_process';
import { setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';

// Not import.meta.dirname: a Node.js too old for it must still get as far as the message that says so.
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Something a person can fix. `output` is what the failed program printed, if one was run. */
export class SetupError extends Error {
  constructor({ expected, got, remedy, output = '' }) {
    super(`Expected ${expected}, got ${got}; ${remedy}`);
    this.output = output;
  }
}

/** Returns how a program ended: `ok`, everything it printed, and the status in words. Never throws. */
export function run(program, args, options = {}) {
  const child = spawnSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, ...options });
  return {
    ok: child.status === 0,
    stdout: child.stdout ?? '',
    output: `${child.stdout ?? ''}${child.stderr ?? ''}`.trim(),
    status: child.error?.message ?? (child.signal ? `signal ${child.signal}` : `exit code ${child.status}`),
  };
}

/** Inside `npm run` the same npm goes on, which need not be the one on the PATH. */
export function runNpm(args) {
  const npm = process.env.npm_execpath ?? '';
  return npm.endsWith('npm-cli.js') ? run(process.execPath, [npm, ...args]) : run('npm', args);
}

/** Progress goes to stderr: the stdout of `npm run bench` belongs to its results. */
export function say(text) {
  console.error(`setup: ${text}`);
}

/** The shell of `npm run` does not hand on the signal that ends it, and this script would go on without it. */
export function endWithNpm() {
  const shell = process.ppid;
  if (process.env.npm_lifecycle_event === undefined) return;
  setInterval(() => {
    if (process.ppid !== shell) process.exit(1);
  }, 1000).unref();
}

/** Runs the body of a script. A defect of ours keeps its stack trace; a SetupError ends in its message. */
export async function script(body) {
  try {
    await body();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    if (error.output) console.error(error.output);
    console.error(error.message);
    process.exitCode = 1;
  }
}
