// The machine that a benchmark ran on, for every JSON: figures mean nothing without it; and what keeps it busy.
import { spawn } from 'node:child_process';
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

/** Starts `count` processes that never end; the result ends them, as the end of this process does. */
export function keepCoresBusy(count: number): () => void {
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  const stop = (): void => {
    for (const child of children) child.kill('SIGKILL');
  };
  for (const child of children) child.unref();
  process.once('exit', stop);
  return stop;
}
