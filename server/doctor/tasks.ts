// Runs the tasks of the doctor, each in a separate process: MLX ends its process if something is wrong, and reads some
// variables once per process.
import { execFile, type ExecFileException } from 'node:child_process';
import { promisify } from 'node:util';
import type { DeviceName } from '../models/mlx/device';
import type { Mode } from './checkMode';
import { withoutPaths } from './withoutPaths';

/**
 * A question that a separate process of this program answers: the version of the addon, the check of a mode, the times
 * of matrix products, or the time of a plain step of the built-in pair.
 */
export type Question =
  | 'addon'
  | Mode
  | { readonly measure: 'kernels'; readonly device: DeviceName; readonly budgetMs: number }
  | { readonly measure: 'step' };

export interface Task {
  readonly name: string;
  readonly question: Question;
  /** Environment variables of the process, in addition to those of this one. */
  readonly env?: Readonly<Record<string, string>>;
  readonly limitMs: number;
}

/** Resolves with the answer to the question of a task, as JSON. */
export type Ask = (task: Task) => Promise<string>;

/** Answer to a task, or the reason why there is none, without paths. */
export type Result<T> = { readonly name: string } & ({ readonly answer: T } | { readonly problem: string });

export interface RunOptions {
  readonly ask: Ask;
  /** Called before each task with its name and index. */
  readonly onStart: (name: string, index: number) => void;
  /** Time, by `performance.now`, from which on no task is started; Infinity by default. */
  readonly endsAt?: number;
}

/** Maximum characters quoted from a process's error output: the reason comes first, then places in source code. */
const MAX_QUOTED_LENGTH = 300;

/** Runs tasks one after the other. A failing one does not prevent the others. */
export async function runTasks<T>(
  tasks: readonly Task[],
  { ask, onStart, endsAt = Infinity }: RunOptions,
): Promise<Result<T>[]> {
  const results: Result<T>[] = [];
  for (const [index, task] of tasks.entries()) {
    const { name } = task;
    onStart(name, index);
    if (performance.now() < endsAt) results.push({ name, ...(await answerOrProblem<T>(task, ask)) });
    else results.push({ name, problem: 'no time was left' });
  }
  return results;
}

async function answerOrProblem<T>(task: Task, ask: Ask): Promise<{ answer: T } | { problem: string }> {
  try {
    return { answer: JSON.parse(await ask(task)) as T };
  } catch (error) {
    return { problem: withoutPaths(reasonOf(error)) };
  }
}

/**
 * Returns a function that runs `program` with the question of a task and returns its standard output. The process is
 * killed when this one exits, or at the limit of the task.
 */
export function processAsker(program: string, args: readonly string[]): Ask {
  return async ({ question, env = {}, limitMs }) => {
    const command = [program, ...args, JSON.stringify(question)];
    const options = { timeout: limitMs, killSignal: 'SIGKILL', env: { ...process.env, ...env } } as const;
    const answer = promisify(execFile)(process.execPath, command, options);
    const end = (): void => void answer.child.kill('SIGKILL');
    process.once('exit', end);
    try {
      return (await answer).stdout;
    } finally {
      process.off('exit', end);
    }
  };
}

/** Returns the reason why a process did not answer, with the start of its error output. */
export function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'the process answered with a text that is not JSON';
  const { killed = false, signal, code, stderr = '' } = error as Partial<ExecFileException>;
  const how = killed ? 'took too long' : `ended with ${String(signal ?? code)}`;
  const output = stderr.replace(/\s+/g, ' ').trim().slice(0, MAX_QUOTED_LENGTH);
  return `the process ${how}${output && `: ${output}`}`;
}
