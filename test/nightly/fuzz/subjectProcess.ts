// Sends tasks to a process with the subject of a kind (subjectWorker.ts), and restarts it after a crash. Several kinds
// can use one process in turn, as its start takes most of their time. An input that takes minutes counts as a hang.
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunOptions, RunResult } from './runInputs';
import type { Reply, Task } from './subjectWorker';

/** Time without progress that counts as a hang; an input takes milliseconds on an idle machine. */
const LIMIT_MS = 300_000;
/** A folder in memory, if the system has one. */
const MEMORY = '/dev/shm';
const STDERR_CHARACTERS = 4000;

export class SubjectProcess {
  #child: ChildProcess | undefined;
  #stderr = '';
  #onReply: (reply: Reply) => void = () => undefined;
  /** Folder for all files that its processes write; removed at the end. */
  readonly #folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'flashline-fuzz-'));
  /** File with the number of the current input. */
  readonly #progress = join(this.#folder, 'progress');

  /** Throws an Error that describes how the input fails, or what it has broken. */
  async attempt(kind: string, input: unknown): Promise<void> {
    const reply = await this.#send({ kind, input });
    if (!('failure' in reply)) return;
    // The failed input can have left the process in any state.
    this.close();
    throw new Error(reply.failure);
  }

  async run(kind: string, run: RunOptions): Promise<RunResult> {
    const reply = await this.#send({ kind, run });
    if (!('failure' in reply)) return reply;
    const index = this.#currentInput();
    return { inputs: index, failed: { index, error: reply.failure } };
  }

  close(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  /** Ends the process and removes its files. */
  end(): void {
    this.close();
    // Settles a request that is still open, and stops its timer.
    this.#onReply({ failure: 'The run ended before the subject answered.' });
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #send(task: Task): Promise<Reply> {
    const child = (this.#child ??= this.#start());
    return new Promise((resolve) => {
      let lastInput = -1;
      // Waits as long as there is progress.
      const hangCheck = setInterval(() => {
        const input = this.#currentInput();
        if (input === lastInput) {
          this.#onReply({ failure: `The input has not been answered for ${String(LIMIT_MS / 1000)} s.` });
          this.close();
        }
        lastInput = input;
      }, LIMIT_MS);
      this.#onReply = (reply) => {
        clearInterval(hangCheck);
        resolve(reply);
      };
      child.send(task);
    });
  }

  /** Returns the number of the input that the process is trying; 0 before the first. */
  #currentInput(): number {
    return Number(readFileSync(this.#progress, 'utf8'));
  }

  #start(): ChildProcess {
    this.#stderr = '';
    writeFileSync(this.#progress, '');
    const child = fork(join(__dirname, 'subjectWorker.js'), [this.#progress], {
      execArgv: ['--expose-gc', '--enable-source-maps'],
      serialization: 'advanced',
      env: { ...process.env, TMPDIR: this.#folder },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARACTERS);
    });
    child.on('message', (reply: Reply) => this.#onReply(reply));
    child.once('exit', (code, signal) => {
      // A process that was ended from here has nothing to report.
      if (this.#child !== child) return;
      this.#child = undefined;
      const how = signal ?? `exit code ${String(code)}`;
      this.#onReply({ failure: `The process ended with ${how} before it answered.\n${this.#stderr}` });
    });
    return child;
  }
}
