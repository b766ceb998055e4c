// Asks a worker of the doctor, and starts another one whenever it ends before it answers.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Answer, Question } from './doctorWorker';

/** For one question on a slow, busy machine, where a GPU compiles its kernels first. */
const LIMIT_MS = 300_000;
/** Of what a process writes before it ends: MLX says why, and then the C library where. */
const MOST_LETTERS = 300;

export class DoctorProcess {
  #child: ChildProcess | undefined;
  #words = '';

  /** `program` runs a worker if its arguments are `args`. */
  constructor(
    private readonly program: string,
    private readonly args: readonly string[],
  ) {}

  /** Never rejects: an end of the process is an answer, too. */
  async ask(question: Question, limitMs = LIMIT_MS): Promise<Answer> {
    const child = (this.#child ??= this.#start());
    this.#words = '';
    const settled = new AbortController();
    const { signal } = settled;
    const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
    const startedAt = performance.now();
    try {
      const answered = once(child, 'message', { signal }).then(([answer]) => answer as Answer);
      // Not 'exit': what it wrote has been read by then.
      const ended = once(child, 'close', { signal }).then(([code, name]): Answer => {
        this.#child = undefined;
        const late = performance.now() - startedAt >= limitMs;
        const how = late
          ? `took longer than ${String(limitMs / 1000)} s`
          : `ended with ${String(name ?? code)}`;
        return {
          problem: `the process ${how}${this.#words ? `: ${this.#words.replace(/\s+/g, ' ').trim()}` : ''}`,
        };
      });
      for (const each of [answered, ended]) each.catch(() => undefined);
      child.send(question);
      return await Promise.race([answered, ended]);
    } finally {
      clearTimeout(limit);
      settled.abort();
    }
  }

  end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  #start(): ChildProcess {
    const child = fork(this.program, this.args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] });
    child.stderr?.on('data', (text) => {
      this.#words = (this.#words + String(text)).trimStart().slice(0, MOST_LETTERS);
    });
    // A message that cannot be sent: the process has ended, which is what is reported.
    child.on('error', () => undefined);
    return child;
  }
}
