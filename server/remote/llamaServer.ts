// Starts a llama-server for one engine: checks the options of the program, and starts it on a free local port with a
// random key. The server ends with the engine or with this process, whichever ends first.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { basename, isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { fetchBy } from '../machine/outboundHttp';
import { quoted, UserError, WrongValue } from '../rules/userError';
import { isProgram } from '../rules/remoteAddress';
import { RemoteEngine, type RemoteChoice, type StartedServer } from './remoteEngine';
import { RemoteError } from './remoteError';

/** Callbacks of the clients that wait for a load. */
export interface LoadCallbacks {
  readonly log: (line: string) => void;
  readonly hasClient: () => boolean;
}

/** Time for a program to list its options on a busy machine. */
const HELP_MS = 60_000;
const HELP_BYTES = 4e6;
const POLL_MS = 100;
const HEALTH_MS = 5_000;
/** Time to wait for the exit of a process after its connections broke. */
const NOTICE_MS = 1_000;
/**
 * Options that are omitted if the program does not know them or their environment variable is set: no web page, no
 * images, and limits of context tokens and of the prompt cache in MB, which take memory that the model can need.
 */
const OPTIONAL = [
  ['--no-webui'],
  ['--no-mmproj'],
  ['--ctx-size', '8192', 'LLAMA_ARG_CTX_SIZE'],
  ['--cache-ram', '1024', 'LLAMA_ARG_CACHE_RAM'],
];
/** File extension of models. */
const GGUF = /\.gguf$/i;
const KEPT_LINES = 16;
const SHOWN_LINES = 4;
const LINE_LENGTH = 300;

const UNWATCHED: LoadCallbacks = { log: () => undefined, hasClient: () => true };
/** Sends requests to this machine, so without a proxy. */
const fetchHere = fetchBy({});

class LlamaServer implements StartedServer {
  readonly #watchdog: ChildProcess;
  readonly #lines: string[] = [];
  readonly #ended: Promise<unknown>;

  constructor(program: string, args: readonly string[], key: string, log: (line: string) => void) {
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
        const shown = line.slice(0, LINE_LENGTH);
        this.#lines.push(shown);
        if (this.#lines.length > KEPT_LINES) this.#lines.shift();
        log(`llama-server: ${shown}`);
      });
      return once(lines, 'close');
    };
    this.#watchdog = watchdog;
    const ends = [once(watchdog, 'exit'), read(watchdog.stdout), read(watchdog.stderr)];
    // Rejects if no process can be started.
    this.#ended = Promise.all(ends).catch((error: unknown) => this.#lines.push(`error: ${String(error)}`));
  }

  /**
   * Resolves once the model is loaded, which can include a download. Polls the health of the server, as some list the
   * model before it is loaded.
   */
  async loaded(url: string, hasClient: () => boolean): Promise<void> {
    while (!(await isHealthy(url))) {
      if (!hasClient()) throw new Error('Start of llama-server cancelled: no client is waiting.');
      if (this.#hasEnded) {
        await this.#ended;
        throw new UserError(
          `llama-server ended before its model was loaded (${this.#lastWords}). ` +
            'See the log, and check the model and the drafter.',
        );
      }
      await pause(POLL_MS);
    }
  }

  async failure(): Promise<RemoteError | undefined> {
    await Promise.race([this.#ended, pause(NOTICE_MS, undefined, { ref: false })]);
    if (!this.#hasEnded) return undefined;
    return new RemoteError(`llama-server ended (${this.#lastWords}). The next request starts it again.`);
  }

  async stop(): Promise<void> {
    this.#watchdog.stdin?.end();
    await this.#ended;
  }

  get #hasEnded(): boolean {
    const { pid, exitCode, signalCode } = this.#watchdog;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  /** The first errors among its last lines, without times; if there are none, the very last lines. */
  get #lastWords(): string {
    const failures = this.#lines.filter((line) => / E |error|fail|ended by/i.test(line));
    const shown = failures.length > 0 ? failures.slice(0, SHOWN_LINES) : this.#lines.slice(-SHOWN_LINES);
    return shown.map((line) => line.replace(/^[\d.]+ [A-Z] +/, '')).join(' | ');
  }
}

/** Opens the engine that a choice names. Throws RemoteError, or UserError if the settings or the program are wrong. */
export async function openRemote(choice: RemoteChoice, starting = UNWATCHED): Promise<RemoteEngine> {
  return isProgram(choice.url) ? await startedEngine(choice, starting) : await RemoteEngine.load(choice);
}

async function startedEngine(choice: RemoteChoice, { log, hasClient }: LoadCallbacks): Promise<RemoteEngine> {
  const args = llamaArguments(choice, await helpOf(choice.url));
  const [port, key] = [await freePort(), randomBytes(24).toString('hex')];
  const server = new LlamaServer(choice.url, [...args, '--port', String(port)], key, log);
  const local = { ...choice, url: `http://127.0.0.1:${String(port)}`, model: '', key };
  try {
    await server.loaded(`${local.url}/health`, hasClient);
    const engine = await RemoteEngine.load(local, undefined, server);
    await engine.requireAnswer();
    return engine;
  } catch (error) {
    await server.stop();
    if (!(error instanceof RemoteError) || error.facts.status !== 501) throw error;
    throw new UserError(
      `llama-server cannot fill in before a suffix with ${choice.model}. ` +
        'Choose a model that was trained for that, or name its tokenizer.',
      { cause: error },
    );
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

/** Returns the list of options that the program prints. Throws UserError if it cannot be run. */
async function helpOf(program: string): Promise<string> {
  try {
    const options = { timeout: HELP_MS, maxBuffer: HELP_BYTES };
    return (await promisify(execFile)(program, ['--help'], options)).stdout;
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const place = program.includes('/') ? `at ${program}` : 'in the PATH';
    const what = isMissing
      ? `There is no llama-server ${place}`
      : `The llama-server ${place} cannot be run (${(cause as Error).message.slice(0, LINE_LENGTH)})`;
    const remedy =
      'Install llama.cpp ("brew install llama.cpp" on macOS; on Linux the package llama.cpp or llama.cpp-tools of your ' +
      'distribution, or a release from https://github.com/ggml-org/llama.cpp/releases), or name the path of the program.';
    throw new UserError(`${what}. ${remedy}`, { cause });
  }
}

/** Returns the arguments of llama-server. Throws UserError for a required one that this program does not know. */
function llamaArguments({ model, drafter = '' }: RemoteChoice, help: string): string[] {
  const args = [
    ...modelArguments(model, ['--model', '--hf-repo']),
    ...drafterArguments(drafter, help),
    ...['--alias', GGUF.test(model) ? basename(model).replace(GGUF, '') : model],
    ...['--host', '127.0.0.1'],
  ];
  const unknown = args.find((argument) => argument.startsWith('--') && !help.includes(argument));
  if (unknown !== undefined)
    throw new UserError(`This llama-server is too old: it does not know ${unknown}. Update llama.cpp.`);
  const optional = OPTIONAL.map(([name = '', value, variable = '']) =>
    help.includes(name) && process.env[variable] === undefined ? [name, ...(value ? [value] : [])] : [],
  );
  return [...args, ...optional.flat()];
}

/** Returns the arguments for a model, with the option for a file or the one for a repository on Hugging Face. */
function modelArguments(name: string, [file, repository]: readonly [string, string]): string[] {
  if (isAbsolute(name) && existsSync(name)) return [file, name];
  if (/^\w[\w.-]*\/\w[\w.-]*(:[\w.-]+)?$/.test(name) && !GGUF.test(name)) return [repository, name];
  const expected =
    'a GGUF file by its whole path, or a name on Hugging Face such as ggml-org/Qwen2.5-Coder-7B-Q8_0-GGUF, for llama-server';
  const got = isAbsolute(name) ? `${name}, where there is none` : name && quoted(name);
  throw new WrongValue({ expected, got, remedy: 'name one as the remote model, or as the drafter' });
}

/** Returns the arguments for a drafter: `KIND`, `KIND:MODEL` or `MODEL`, where the program lists the possible kinds. */
function drafterArguments(drafter: string, help: string): string[] {
  if (drafter === '' || drafter === 'none') return [];
  const kinds = /--spec-type\s+\[?([\w,|-]+)/.exec(help)?.[1]?.split(/[,|]/) ?? [];
  const [named, model] = /^([a-z][a-z\d-]*)(?::(.+))?$/.exec(drafter)?.slice(1) ?? [undefined, drafter];
  if (named !== undefined && !kinds.includes(named))
    throw new WrongValue({
      expected: `a kind of drafts that this llama-server knows (${kinds.join(', ')})`,
      got: quoted(named),
      remedy: 'name one as the drafter, with ":" and a model where it needs one, or update llama.cpp',
    });
  const usual = kinds.includes('draft-simple') ? 'draft-simple' : undefined;
  const kind = named ?? usual;
  return [
    ...(kind === undefined ? [] : ['--spec-type', kind]),
    ...(model === undefined ? [] : modelArguments(model, ['--model-draft', '--hf-repo-draft'])),
  ];
}

/** Finds a free port of this machine. If another program takes it first, llama-server ends with an error. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
