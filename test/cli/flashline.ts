// Runs the built program as a user does: a child process with arguments, a folder and an environment. Kills a run that
// takes too long, so that its outcome has a signal and no exit code.
import { execFile, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Working folder; the repository by default. */
  readonly cwd?: string;
  /** Folder in which npm was called, as npm passes it to scripts; none by default. */
  readonly initCwd?: string;
  readonly program?: string;
  /** Environment that replaces that of the tests. */
  readonly env?: NodeJS.ProcessEnv;
  readonly onStart?: (child: ChildProcess) => void;
  /** Called once, with the first text on stdout. */
  readonly onOutput?: (child: ChildProcess) => void;
}

const PROGRAM = 'dist/cli.js';
/** Time limit of a run, which takes seconds on an idle machine. */
const LIMIT_MS = 600_000;
/** Number of simultaneous runs: the cores of the smallest machine that runs the tests. */
const AT_A_TIME = 2;

export function flashline(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const { cwd, initCwd, program = PROGRAM, onStart, onOutput } = options;
  const env = options.env ?? process.env;
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [resolve(program), ...args],
      { cwd, env: { ...env, INIT_CWD: initCwd }, timeout: LIMIT_MS, killSignal: 'SIGKILL' },
      (_, stdout, stderr) => done({ code: child.exitCode, signal: child.signalCode, stdout, stderr }),
    );
    onStart?.(child);
    if (onOutput) child.stdout?.once('data', () => onOutput(child));
  });
}

/** Runs the program several times, two at a time, and returns the outcomes in order. */
export async function flashlines(
  runs: readonly (readonly string[])[],
  options: RunOptions = {},
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  // The workers share this iterator, so that each run goes to the next free one.
  const pendingRuns = runs.entries();
  const worker = async (): Promise<void> => {
    for (const [i, args] of pendingRuns) outcomes[i] = await flashline(args, options);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return outcomes;
}
