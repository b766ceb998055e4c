// Measures this machine, each measurement in a process of its own: the products of layers by rows, and on a GPU a step with
// the two numbers of operations that a command buffer can have. One that fails takes no other along.
import type { DeviceName } from '../models/mlx/device';
import { reasonOf, withoutPaths } from './examine';
import type { Kernels } from './kernels';

/** A question to a process: times products, or the plain step of the built-in pair in milliseconds. */
export type Measurement =
  | { readonly measure: 'kernels'; readonly device: DeviceName; readonly budgetMs: number }
  | { readonly measure: 'step' };

/** Milliseconds of a plain step, in the order of the runs. */
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
  /** Milliseconds for everything; what cannot begin in time is left out. */
  readonly budgetMs: number;
  readonly progress: (line: string) => void;
  /** Answers a question as JSON, in a process of its own with these variables. */
  readonly ask: (question: Measurement, env?: Readonly<Record<string, string>>) => Promise<string>;
}

/** The default of MLX 0.13, and that of MLX 0.23 and newer. */
const OPERATIONS = [10, 40];
/** Runs with each of them. */
const TURNS = 2;
/** Share of the time for products; the rest is for starting processes and for steps. */
const KERNELS_SHARE = 0.5;

export async function measureMachine({ device, budgetMs, progress, ask }: MeasureOptions): Promise<Measured> {
  const endsAt = performance.now() + budgetMs;
  const problems: string[] = [];
  /** Returns undefined where there is no time left, or where the process ends without an answer. */
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
  const kernels = (await measured(`${device.toUpperCase()} products by rows`, question)) as
    Kernels | undefined;
  const steps = OPERATIONS.map((operations) => ({ operations, ms: [] as number[] }));
  // By turns, so that a machine that warms up or is busy slows both alike. The variable is read once per process.
  for (let turn = 0; device === 'gpu' && turn < TURNS; turn++)
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
