// A build of Flashline whose graphs are measured: one process that times steps, and one that counts their calls.
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { answerOf } from '../answerOf';
import type { Path, StepTimes } from './graphSteps';
import type { GraphMessage } from './worker';

/** The program in a built folder of this repository. */
export const workerOf = (folder: string): string => join(folder, 'dist/bench/graphWorker.js');

export class GraphBuild {
  readonly #timing: ChildProcess;
  readonly #counting: ChildProcess;

  /** `worker` is its program. */
  constructor(worker: string) {
    const start = (task: string) => fork(worker, [task], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    [this.#timing, this.#counting] = [start('time'), start('count')];
  }

  /** Native calls of a step in the network whose checkpoint is there. */
  async count(checkpoint: string, path: Path): Promise<number> {
    await ask(this.#counting, { load: checkpoint, path });
    const calls = await ask(this.#counting, { repeats: 1 });
    await ask(this.#counting, 'unload');
    return calls as number;
  }

  async load(checkpoint: string, path: Path): Promise<void> {
    await ask(this.#timing, { load: checkpoint, path });
    await this.time(1);
  }

  async time(repeats: number): Promise<StepTimes> {
    return (await ask(this.#timing, { repeats })) as StepTimes;
  }

  async unload(): Promise<void> {
    await ask(this.#timing, 'unload');
  }

  end(): void {
    for (const child of [this.#timing, this.#counting]) if (child.connected) child.disconnect();
  }
}

async function ask(child: ChildProcess, message: GraphMessage): Promise<unknown> {
  child.send(message);
  return await answerOf(child);
}
