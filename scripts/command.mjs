// Runs other programs for the set-up scripts and reports a failure in one clear closing line. The output of a program
// is shown only if it failed, so that a successful run stays short.
import { spawnSync } from 'node:child_process';
import { setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';

// Not import.meta.dirname: a Node.js that is too old for it must still reach the message that says so.
export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * A problem that the user can fix. The message has the problem and the remedy; `output` is that of the failed program,
 * if one was run.
 */
export class SetupError extends Error {
  constructor(message, output = '') {
    super(message);
    this.output = output;
  }
}

/** Runs a program and returns `ok`, everything it printed, and its status in words. Never throws. */
export function run(program, args, options = {}) {
  const child = spawnSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, ...options });
  return {
    ok: child.status === 0,
    stdout: child.stdout ?? '',
    output: `${child.stdout ?? ''}${child.stderr ?? ''}`.trim(),
    status: child.error?.message ?? (child.signal ? `signal ${child.signal}` : `exit code ${child.status}`),
  };
}

/** Runs npm. Inside `npm run`, this is the same npm, which can differ from the one on the PATH. */
export function runNpm(args) {
  const npm = process.env.npm_execpath ?? '';
  return npm.endsWith('npm-cli.js') ? run(process.execPath, [npm, ...args]) : run('npm', args);
}

/** Prints progress to stderr, since the stdout of `npm run bench` contains its results. */
export function say(text) {
  console.error(`setup: ${text}`);
}

/** Ends this script once `npm run` has ended, whose shell does not forward signals to the script. */
export function endWithNpm() {
  const shell = process.ppid;
  if (process.env.npm_lifecycle_event === undefined) return;
  setInterval(() => {
    if (process.ppid !== shell) process.exit(1);
  }, 1000).unref();
}

/** Runs the body of a script. Prints only the message of a SetupError; other errors keep their stack trace. */
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
