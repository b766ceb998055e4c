// Examines this machine: checks the built-in pair in each mode, each in a separate process. A failing check does not
// prevent the others.
import { arch, cpus, platform, release, type } from 'node:os';
import { version } from '../machine/version';
import { totalMemory } from '../machine/thisMachine';
import type { DeviceName } from '../models/mlx/device';
import { UserError } from '../rules/userError';
import { nearTieGap } from '../rules/nearTieGap';
import type { Mode, ModeCheck } from './checkMode';
import { reasonOf, runTasks, type Ask } from './tasks';

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

/** Time limit of a check: enough for a slow, busy machine, and for a GPU that compiles its kernels first. */
const LIMIT_MS = 300_000;

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
  readonly ask: Ask;
}

/** Runs the checks. Throws UserError if the native addon does not load, or the requested device is missing. */
export async function examine({ device, progress, ask }: ExamineOptions) {
  const startedAt = performance.now();
  const addon = await ask({ name: 'addon', question: 'addon', limitMs: LIMIT_MS }).then(
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
  const tasks = modes.map((mode) => ({
    name: `${mode.device.toUpperCase()} ${mode.type}`,
    question: mode,
    limitMs: LIMIT_MS,
  }));
  const onStart = (name: string, index: number): void => {
    progress(`${String(index + 1)}/${String(tasks.length)} ${name}`);
  };
  const results = await runTasks<ModeCheck>(tasks, { ask, onStart });
  const checks = results.map((result): Check =>
    'problem' in result
      ? { mode: result.name, problem: result.problem }
      : { mode: result.name, ...result.answer },
  );
  return {
    verdict: outcomeOf(checks),
    nearTies: { float32: nearTieGap('float32'), bfloat16: nearTieGap('bfloat16') },
    machine: { flashline: version(), nodeMlx: addon.version, ...thisComputer(), gpu: addon.gpu },
    seconds: Math.round((performance.now() - startedAt) / 1000),
    checks,
  };
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
