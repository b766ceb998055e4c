// Ends a server that is there and answers nothing, as when memory ran out within a library that then waits for ever.
// The client starts another one, as after a crash.
import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Method } from '../server/protocol';
import type { FlashlineClient } from './client';
import { endProcess } from './reachServer';

/** Between two looks at a server. */
const EVERY_MS = 10_000;
/** Three minutes: it may have to wait for a slow disk. */
const MOST_MISSED = 18;

interface Log {
  readonly error: (line: string) => void;
}

export class Heartbeat {
  #isDisposed = false;
  /** The process that has not answered yet. */
  #asked: number | undefined;
  /** What it had computed at the last look. */
  #spent = '';
  /** Looks since then, at each of which it had neither answered nor computed. They stand still while the machine sleeps. */
  #missed = 0;

  constructor(
    private readonly client: Pick<FlashlineClient, 'isRunning' | 'request' | 'serverProcessId'>,
    private readonly log: Log,
    private readonly everyMs = EVERY_MS,
    private readonly spentBy = processorTime,
  ) {
    void this.#watch();
  }

  dispose(): void {
    this.#isDisposed = true;
  }

  async #watch(): Promise<void> {
    for (;;) {
      await pause(this.everyMs, undefined, { ref: false });
      if (this.#isDisposed) return;
      await this.#beat();
    }
  }

  async #beat(): Promise<void> {
    const { isRunning, serverProcessId: id } = this.client;
    if (!isRunning || id === undefined) return;
    if (id !== this.#asked) return this.#ask(id);
    const spent = await this.spentBy(id);
    if (spent === this.#spent) this.#missed += 1;
    else [this.#spent, this.#missed] = [spent, 0];
    // It may have answered meanwhile.
    if (this.#missed < MOST_MISSED || this.#asked !== id) return;
    this.#missed = 0;
    this.log.error('The server has not answered for minutes; ending it.');
    await endProcess(id);
  }

  #ask(id: number): void {
    [this.#asked, this.#missed] = [id, 0];
    const answered = (): void => {
      if (this.#asked === id) this.#asked = undefined;
    };
    // An error is an answer, too, also that the connection has ended.
    this.client.request(Method.alive, {}).then(answered, answered);
  }
}

/** As the system prints it; it grows while the process computes. Empty without such a process. */
export async function processorTime(processId: number): Promise<string> {
  const words = ['-o', 'time=', '-p', String(processId)];
  return await promisify(execFile)('ps', words).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
}
