// A llama-server in a process of its own. It ends when it is stopped or when this process ends, whichever is first.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fetchBy } from '../machine/outboundHttp';
import { UserError } from '../rules/userError';
import type { StartedServer } from './remoteEngine';
import { RemoteError } from './remoteError';

/** Receives the output of a starting server, and cancels the start when no client waits any more. */
export interface StartObserver {
  log(line: string): void;
  /** Whether a client still waits. */
  readonly isHeld: boolean;
}

const POLL_MS = 100;
/** Time limit of one answer about the health of the server. */
const HEALTH_MS = 5_000;
/** Time to wait for the exit of a process after its connections broke. */
const NOTICE_MS = 1_000;
/** Number of last lines of the output to keep, and maximum characters of a line. */
const KEPT_LINES = 16;
const MAX_LOG_LINE_LENGTH = 300;
/** Maximum number of lines in an error. */
const SHOWN_LINES = 4;

/** Sends requests to this machine, so without a proxy. */
const fetchHere = fetchBy({});

export class LlamaServer implements StartedServer {
  readonly #watchdog: ChildProcess;
  readonly #lines: string[] = [];
  readonly #ended: Promise<unknown>;

  /** Starts the server under a watchdog, which ends it. */
  constructor(
    program: string,
    args: readonly string[],
    key: string,
    private readonly observer: StartObserver,
  ) {
    // The key is in the environment, as other users of the machine can see arguments.
    const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1', LLAMA_API_KEY: key };
    const command = [join(__dirname, 'watchdog.js'), program, ...args];
    const watchdog = spawn(process.execPath, command, { env, detached: true });
    watchdog.stdin.on('error', () => undefined);
    watchdog.once('exit', () => {
      endGroup(watchdog.pid);
    });
    const read = (stream: Readable): Promise<unknown> => {
      const lines = createInterface({ input: stream });
      lines.on('line', (line) => {
        const shown = line.slice(0, MAX_LOG_LINE_LENGTH);
        this.#lines.push(shown);
        if (this.#lines.length > KEPT_LINES) this.#lines.shift();
        observer.log(`llama-server: ${shown}`);
      });
      return once(lines, 'close');
    };
    this.#watchdog = watchdog;
    const ends = [once(watchdog, 'exit'), read(watchdog.stdout), read(watchdog.stderr)];
    // `Promise.all` rejects if no process can be started.
    this.#ended = Promise.all(ends).catch((error: unknown) => this.#lines.push(`error: ${String(error)}`));
  }

  /**
   * Resolves once the model is loaded, which can include a download. Polls the health of the server, as a server
   * can list its model before it is loaded.
   */
  async loaded(url: string): Promise<void> {
    while (!(await isHealthy(url))) {
      if (!this.observer.isHeld) throw new Error('Start of llama-server cancelled: no client is waiting.');
      if (this.#hasEnded) {
        await this.#ended;
        throw new UserError(
          `llama-server ended before its model was loaded (${this.#lastErrors}). ` +
            'See the log, and check the model and the drafter.',
        );
      }
      await pause(POLL_MS);
    }
  }

  async failure(): Promise<RemoteError | undefined> {
    await Promise.race([this.#ended, pause(NOTICE_MS, undefined, { ref: false })]);
    if (!this.#hasEnded) return undefined;
    return new RemoteError(`llama-server ended (${this.#lastErrors}). The next request starts it again.`);
  }

  async stop(): Promise<void> {
    this.#watchdog.stdin?.end();
    await this.#ended;
  }

  get #hasEnded(): boolean {
    const { pid, exitCode, signalCode } = this.#watchdog;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  /**
   * The first errors among the last lines of its output, without times; without errors, the very last lines. E is the
   * log level of errors; the watchdog writes `ended by` and the signal.
   */
  get #lastErrors(): string {
    const failures = this.#lines.filter((line) => / E |error|fail|ended by/i.test(line));
    const shown = failures.length > 0 ? failures.slice(0, SHOWN_LINES) : this.#lines.slice(-SHOWN_LINES);
    return shown.map((line) => line.replace(/^[\d.]+ [A-Z] +/, '')).join(' | ');
  }
}

/** Kills the processes that a killed watchdog has left running; there are none after a normal end. */
function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // The group has no process left.
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetchHere(url, { headers: {}, signal: AbortSignal.timeout(HEALTH_MS) });
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}
