// Describes the machine of a benchmark for its JSON, since figures mean nothing without it, and keeps its cores busy.
import { spawn } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';

export interface BenchMachine {
  /** Name of the processor in the operating system. */
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

/** Starts `count` endless processes; the returned function ends them, and so does the end of this process. */
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
