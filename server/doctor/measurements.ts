// Measures this machine, each measurement in a separate process: the matrix products of layers by row count, and on a
// GPU a plain step at two limits of operations per command buffer. A failing measurement does not prevent the others.
import type { DeviceName } from '../models/mlx/device';
import { reasonOf, withoutPaths } from './examine';
import type { Kernels } from './kernels';

/** A question to a process: the times of the matrix products of layers, or of a plain step of the built-in pair. */
export type Measurement =
  | { readonly measure: 'kernels'; readonly device: DeviceName; readonly budgetMs: number }
  | { readonly measure: 'step' };

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
  /** Resolves with the answer to a question, as JSON of a separate process with these environment variables. */
  readonly ask: (question: Measurement, env?: Readonly<Record<string, string>>) => Promise<string>;
}

/** Operations per command buffer: the default of MLX 0.13, and that of MLX 0.23 except on Max and Ultra chips. */
const OPERATIONS = [10, 40];
/** Runs with each of `OPERATIONS`. */
const RUNS = 2;
/** Share of the time for matrix products; the rest is for starting processes and for steps. */
const KERNELS_SHARE = 0.5;

/** Runs all measurements, and lists those that failed under `problems`. */
export async function measureMachine({ device, budgetMs, progress, ask }: MeasureOptions): Promise<Measured> {
  const endsAt = performance.now() + budgetMs;
  const problems: string[] = [];
  /** Runs one measurement; undefined if no time is left, or if its process ends without an answer. */
  const measured = async (name: string, ...question: Parameters<typeof ask>): Promise<unknown> => {
    progress(name);
    try {
      if (performance.now() < endsAt) return JSON.parse(await ask(...question)) as unknown;
      problems.push(`${name}: no time was left`);
    } catch (error) {
      problems.push(`${name}: ${withoutPaths(reasonOf(error))}`);
    }
    return undefined;
  };
  const question = { measure: 'kernels', device, budgetMs: KERNELS_SHARE * budgetMs } as const;
  const kernels = (await measured(`${device.toUpperCase()} matrix products by rows`, question)) as
    Kernels | undefined;
  const steps = OPERATIONS.map((operations) => ({ operations, ms: [] as number[] }));
  // The runs alternate, so that a warm or busy machine slows both equally. MLX reads the variable once per process.
  for (let run = 0; device === 'gpu' && run < RUNS; run++)
    for (const { operations, ms } of steps) {
      const env = { MLX_MAX_OPS_PER_BUFFER: String(operations) };
      const time = await measured(
        `${env.MLX_MAX_OPS_PER_BUFFER} operations per buffer`,
        { measure: 'step' },
        env,
      );
      if (typeof time === 'number') ms.push(time);
    }
  return { kernels, steps: steps.filter(({ ms }) => ms.length > 0), problems };
}
