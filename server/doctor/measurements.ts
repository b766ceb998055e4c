// Measures this machine, each measurement in a separate process: the matrix products of layers by row count, and on a
// GPU a plain step at two limits of operations per command buffer. A failing measurement does not prevent the others.
import type { DeviceName } from '../models/mlx/device';
import type { Kernels } from './kernels';
import { runTasks, type Ask, type Result, type Task } from './tasks';

/** Times of plain steps at one limit of operations, in the order of the runs. */
export interface StepTimes {
  /** Operations per command buffer (MLX_MAX_OPS_PER_BUFFER). */
  readonly operations: number;
  readonly ms: number[];
}

export interface Measured {
  readonly kernels: Kernels | undefined;
  readonly steps: readonly StepTimes[];
  readonly problems: readonly string[];
}

export interface MeasureOptions {
  readonly device: DeviceName;
  /** Milliseconds for all measurements; those that cannot begin in time are skipped. */
  readonly budgetMs: number;
  readonly progress: (line: string) => void;
  readonly ask: Ask;
}

/** Time limit of one measurement. */
const LIMIT_MS = 30_000;
/** Operations per command buffer: the default of MLX 0.13, and that of MLX 0.23 except on Max and Ultra chips. */
const OPERATIONS = [10, 40];
/** Runs with each of `OPERATIONS`. */
const RUNS = 2;
/** Share of the time for matrix products; the rest is for starting processes and for steps. */
const KERNELS_SHARE = 0.5;

/** Runs all measurements, and lists those that failed under `problems`. */
export async function measureMachine({ device, budgetMs, progress, ask }: MeasureOptions): Promise<Measured> {
  const run = { ask, onStart: progress, endsAt: performance.now() + budgetMs };
  const question = { measure: 'kernels', device, budgetMs: KERNELS_SHARE * budgetMs } as const;
  const name = `${device.toUpperCase()} matrix products by rows`;
  const products = await runTasks<Kernels>([{ name, question, limitMs: LIMIT_MS }], run);
  const steps = await runTasks<number>(device === 'gpu' ? stepTasks() : [], run);
  return {
    kernels: answersOf(products)[0],
    steps: OPERATIONS.map((operations, index) => ({
      operations,
      ms: answersOf(steps.filter((_, step) => step % OPERATIONS.length === index)),
    })).filter(({ ms }) => ms.length > 0),
    problems: [...products, ...steps].flatMap((result) =>
      'problem' in result ? [`${result.name}: ${result.problem}`] : [],
    ),
  };
}

/** Lists the tasks that time a plain step. They alternate, so that a warm or busy machine slows both limits equally. */
function stepTasks(): Task[] {
  const round = OPERATIONS.map((operations) => ({
    name: `${String(operations)} operations per buffer`,
    question: { measure: 'step' } as const,
    env: { MLX_MAX_OPS_PER_BUFFER: String(operations) },
    limitMs: LIMIT_MS,
  }));
  return Array.from({ length: RUNS }, () => round).flat();
}

function answersOf<T>(results: readonly Result<T>[]): T[] {
  return results.flatMap((result) => ('answer' in result ? [result.answer] : []));
}
