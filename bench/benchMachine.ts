// The machine that a benchmark ran on, for every JSON: figures mean nothing without it.
import { availableParallelism, cpus } from 'node:os';

export interface BenchMachine {
  /** As the operating system names the processor. */
  readonly cpu: string;
  readonly cores: number;
  readonly platform: string;
  readonly node: string;
}

export function benchMachine(): BenchMachine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    platform: `${process.platform}-${process.arch}`,
    node: process.versions.node,
  };
}
