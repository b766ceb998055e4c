// Examines this machine: checks the built-in pair in each mode, each in a separate process, since MLX ends the process
// if something is wrong. A failing check does not prevent the others.
import { execFile, type ExecFileException } from 'node:child_process';
import { arch, cpus, homedir, hostname, platform, release, type, userInfo } from 'node:os';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { version } from '../machine/folders';
import { totalMemory } from '../machine/thisMachine';
import type { DeviceName } from '../models/mlx/device';
import { UserError } from '../rules/userError';
import { nearTieGap } from '../rules/nearTieGap';
import type { Mode, ModeCheck } from './checkMode';

export interface Addon {
  readonly version: string;
  /** Facts of the GPU, as MLX reports them; null without one. */
  readonly gpu: Readonly<Record<string, unknown>> | null;
}

/** Result of all checks, by their worst verdict. */
export type Outcome = 'passed' | 'passed, with near ties' | 'failed';

/** Findings in one mode, or the reason why there are none. */
export type Check = { readonly mode: string } & (ModeCheck | { readonly problem: string });

export type Examination = Awaited<ReturnType<typeof examine>>;

/** Time limit of a check on a slow, busy machine, where a GPU compiles its kernels first. */
const LIMIT_MS = 300_000;
/** Maximum characters quoted from a process's error output: the reason comes first, then places in source code. */
const MAX_QUOTED_LENGTH = 300;
/** Matches absolute paths. */
const PATH = /(?<![\w)])(?:[A-Za-z]:\\|~?\/|file:\/\/)[^\s'"`,;:()]+/g;
/** Minimum length of a name to replace; shorter ones are parts of many words. */
const MIN_NAME_LENGTH = 3;

const MODES: readonly Mode[] = [
  { device: 'cpu', type: 'float32' },
  { device: 'gpu', type: 'bfloat16' },
  { device: 'gpu', type: 'float32' },
];

export interface ExamineOptions {
  /** Device to check; undefined for all. */
  readonly device: DeviceName | undefined;
  /** Called before each check with its number and mode. */
  readonly progress: (line: string) => void;
  /** Resolves with the answer to a question, as JSON of a separate process. */
  readonly ask: (question: 'addon' | Mode) => Promise<string>;
}

/** Runs the checks. Throws UserError if the native addon does not load, or the requested device is missing. */
export async function examine({ device, progress, ask }: ExamineOptions) {
  const startedAt = performance.now();
  const addon = await ask('addon').then(
    (text) => JSON.parse(text) as Addon,
    (error: unknown) => {
      const remedy = 'Reinstall Flashline, or run "npm run setup" in a clone.';
      throw new UserError(`The native MLX addon does not load (${reasonOf(error)}). ${remedy}`, {
        cause: error,
      });
    },
  );
  if (device === 'gpu' && addon.gpu === null)
    throw new UserError('This machine has no Metal GPU. Use --device cpu.');
  const modes = MODES.filter(
    (mode) => (mode.device === 'cpu' || addon.gpu !== null) && (device ?? mode.device) === mode.device,
  );
  const checks: Check[] = [];
  for (const mode of modes) {
    const name = `${mode.device.toUpperCase()} ${mode.type}`;
    progress(`${String(checks.length + 1)}/${String(modes.length)} ${name}`);
    const check = await ask(mode).then(
      (text) => JSON.parse(text) as ModeCheck,
      (error: unknown) => ({ problem: withoutPaths(reasonOf(error)) }),
    );
    checks.push({ mode: name, ...check });
  }
  return {
    verdict: outcomeOf(checks),
    nearTies: { float32: nearTieGap('float32'), bfloat16: nearTieGap('bfloat16') },
    machine: { flashline: version(), nodeMlx: addon.version, ...thisComputer(), gpu: addon.gpu },
    seconds: Math.round((performance.now() - startedAt) / 1000),
    checks,
  };
}

/**
 * Returns a function that runs `program` with a question and returns its standard output. The process is killed when
 * this one exits, or after `limitMs`.
 */
export function processAsker(program: string, args: readonly string[], limitMs = LIMIT_MS) {
  return async (question: unknown, variables: Readonly<Record<string, string>> = {}): Promise<string> => {
    const command = [program, ...args, JSON.stringify(question)];
    const env = { ...process.env, ...variables };
    const options = { timeout: limitMs, killSignal: 'SIGKILL', env } as const;
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
  const words = stderr.replace(/\s+/g, ' ').trim().slice(0, MAX_QUOTED_LENGTH);
  return `the process ${how}${words && `: ${words}`}`;
}

function outcomeOf(checks: readonly Check[]): Outcome {
  const verdicts = checks.flatMap((check) =>
    'problem' in check ? ['fail'] : [check.plain.verdict, check.drafted.verdict],
  );
  if (verdicts.includes('fail')) return 'failed';
  return verdicts.includes('near tie') ? 'passed, with near ties' : 'passed';
}

function thisComputer() {
  return {
    node: process.versions.node,
    platform: `${platform()}-${arch()}`,
    system: `${type()} ${release()}`,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalMemory(),
  };
}

/** Removes paths and the names of user and machine from a text, since users publish reports. */
export function withoutPaths(text: string): string {
  const names = [userName(), basename(homedir()), hostname(), hostname().replace(/\..*$/, '')];
  // Longer names first, since one can contain another.
  return names
    .filter((name) => name.length >= MIN_NAME_LENGTH)
    .sort((a, b) => b.length - a.length)
    .reduce((rest, name) => rest.replaceAll(name, '(name)'), text.replace(PATH, '(path)'));
}

/** Returns the user name; empty if the account has none. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}
