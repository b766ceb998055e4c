// The subject of a kind as the harness sees it: something to send inputs to, which is started again after it has gone. Kinds
// may use one process after each other, as most of their time is its start.
// An input without an answer within minutes counts as one that hangs.
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_GROWTH, type RunOptions, type RunResult } from './runInputs';
import type { Reply, Task } from './subjectWorker';

/** What takes milliseconds on a quiet machine. */
const LIMIT_MS = 300_000;
/** A folder in memory, where the system has one. */
const MEMORY = '/dev/shm';
const WORKER = join(__dirname, 'subjectWorker.js');
const STDERR_CHARACTERS = 4000;

export class SubjectProcess {
  #child: ChildProcess | undefined;
  #stderr = '';
  #answer: (reply: Reply) => void = () => undefined;
  /** Of all files of its processes: many are written, and none is kept. */
  readonly #folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'flashline-fuzz-'));
  /** Has the number of the input that is tried. */
  readonly #progress = join(this.#folder, 'progress');

  #name = '';

  /** What comes now is for this kind. */
  async open(name: string): Promise<void> {
    this.#name = name;
    if (this.#child !== undefined) await this.#open(this.#child);
  }

  /** Throws an Error that says how the input fails, or what is not as before after it. */
  async attempt(input: unknown): Promise<void> {
    const reply = await this.#ask({ input });
    if (!('failure' in reply)) return;
    // Nobody knows what it has left behind.
    this.close();
    throw new Error(reply.failure);
  }

  async run(run: RunOptions): Promise<RunResult> {
    const reply = await this.#ask({ run });
    if ('failure' in reply) {
      const at = this.#tried();
      return { inputs: at, growth: NO_GROWTH, failed: { at, error: reply.failure } };
    }
    return { inputs: 0, growth: NO_GROWTH, ...reply };
  }

  close(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  /** Nothing of it is left. */
  end(): void {
    this.close();
    // Somebody may have given up waiting.
    this.#answer({ failure: 'Expected an answer, got the end of the run.' });
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ask(task: Task): Promise<Reply> {
    const child = this.#child ?? (await this.#start());
    const answered = this.#next();
    child.send(task);
    return await answered;
  }

  #tried(): number {
    return Number(readFileSync(this.#progress, 'utf8'));
  }

  async #start(): Promise<ChildProcess> {
    this.#stderr = '';
    const child = fork(WORKER, [this.#progress], {
      execArgv: ['--expose-gc', '--enable-source-maps'],
      serialization: 'advanced',
      env: { ...process.env, TMPDIR: this.#folder },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARACTERS);
    });
    child.on('message', (reply: Reply) => {
      this.#answer(reply);
    });
    this.#child = child;
    child.once('exit', (code, signal) => {
      // One that was ended from here has nothing to say.
      if (this.#child !== child) return;
      this.#child = undefined;
      const how = `the end of its process with ${signal ?? `exit code ${String(code)}`}`;
      this.#answer({ failure: `Expected an answer, got ${how}.\n${this.#stderr}` });
    });
    await this.#open(child);
    return child;
  }

  async #open(child: ChildProcess): Promise<void> {
    const answered = this.#next();
    child.send({ open: this.#name });
    const reply = await answered;
    if ('failure' in reply) throw new Error(`${this.#name} did not start: ${reply.failure}`);
  }

  /** Waits as long as there is progress. */
  #next(): Promise<Reply> {
    return new Promise((resolve) => {
      let [tried, isWaiting] = [-1, true];
      const look = (): void => {
        const now = this.#child === undefined ? tried : this.#tried();
        if (now === tried) {
          this.#answer({ failure: `Expected an answer, got none for ${String(LIMIT_MS / 1000)} s.` });
          this.close();
        }
        tried = now;
        if (isWaiting) limit = setTimeout(look, LIMIT_MS);
      };
      let limit = setTimeout(look, LIMIT_MS);
      this.#answer = (reply) => {
        isWaiting = false;
        clearTimeout(limit);
        resolve(reply);
      };
    });
  }
}
