// The way to the server that all windows share: connects to it, starts it if there is none, and ends it. Several
// windows may start one at the same time; the servers agree on which one stays. Knows neither vscode nor messages.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  boundSocket,
  GREETING,
  ID_LENGTH,
  logOf,
  socketFolder,
  socketName,
  holderOf,
  NOBODY,
} from '../../server/socket/socketName';

/** For a server to be found, and then to answer; after that a window starts one of its own. */
export const LIMIT_MS = 15_000;
const POLL_MS = 25;
const LAST_LINES = 20;
/** For a process to end on its own once it was asked to. */
const ASK_MS = 3_000;
/** Nobody listens, the process is about to end, or too many connect at once. */
const TRY_AGAIN = [...NOBODY, 'ECONNRESET', 'EPIPE', 'EAGAIN'];

export interface ServerProgram {
  /** Path of the server's bundle. */
  readonly module: string;
  /** Of the extension. */
  readonly version: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Further arguments of the server. */
  readonly args?: readonly string[];
  /** For it to start, and to answer, on a machine that has other things to do. */
  readonly limitMs?: number;
}

export interface ReachedServer {
  readonly socket: Socket;
  /** The last lines that the server printed, which say why it crashed. */
  readonly lastWords: () => string;
}

/** Rejects with the reason if there can be no shared server. */
export async function reachServer(program: ServerProgram): Promise<ReachedServer> {
  const name = nameOf(program);
  const { limitMs = LIMIT_MS } = program;
  let starting: ReturnType<typeof start> | undefined;
  for (const end = performance.now() + limitMs; performance.now() < end; await pause(POLL_MS)) {
    const holder = holderOf(name);
    const socket = holder === undefined ? undefined : await greeted(name, end - performance.now());
    if (holder !== undefined && socket !== undefined)
      return { socket, lastWords: () => lastLines(logOf(holder)) };
    if (starting === undefined || starting.child.exitCode === 0) starting = start(program, name);
    else if (hasFailed(starting.child))
      throw new Error(lastLines(starting.log) || 'The server did not start.');
  }
  throw new Error(`Flashline's server did not start at ${name} within ${limitMs / 1000} s.`);
}

/** Asks a process that is not a child of this one to end, and kills it if it does not. Resolves when it is gone. */
export async function endProcess(processId: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!send(processId, signal)) return;
    for (const end = performance.now() + ASK_MS; performance.now() < end; await pause(POLL_MS))
      if (!send(processId, 0)) return;
  }
}

/** Whether there was such a process of this user. */
function send(processId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(processId, signal);
  } catch {
    return false;
  }
}

function nameOf({ module, version, environment }: ServerProgram): string {
  const { size, mtimeMs } = statSync(module);
  const userId = process.getuid?.();
  return socketName(socketFolder({ environment, temporaryFolder: tmpdir(), userId }), {
    version,
    bundle: module,
    writtenAt: mtimeMs,
    size,
    node: process.execPath,
    environment,
  });
}

/** Detached: it outlives this window, and ends when no window is left. */
function start(
  { module, environment, args = [] }: ServerProgram,
  name: string,
): { child: ChildProcess; log: string } {
  const id = randomBytes(ID_LENGTH / 2).toString('hex');
  const log = logOf(boundSocket(name, id));
  const output = openSync(log, 'wx', 0o600);
  try {
    const child = spawn(process.execPath, [module, '--socket', name, '--id', id, ...args], {
      cwd: dirname(module),
      detached: true,
      stdio: ['ignore', output, output],
      env: { ...environment, ELECTRON_RUN_AS_NODE: '1', ELECTRON_NO_ASAR: '1' },
    });
    child.once('error', () => undefined); // Then it has no process id.
    child.unref();
    return { child, log };
  } finally {
    closeSync(output);
  }
}

function hasFailed({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

/** Resolves to undefined if no server answers there, or not yet; rejects if another program does. */
function greeted(name: string, limitMs: number): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(name);
    const late = setTimeout(() => socket.destroy(), limitMs);
    socket.once('readable', () => {
      clearTimeout(late);
      const start = socket.read(GREETING.length) as Buffer | null;
      if (start === null) return;
      if (start.toString() === GREETING) return void resolve(socket);
      socket.destroy();
      reject(
        new Error(`Another program than Flashline's server listens at ${name}. End it, or remove that file.`),
      );
    });
    // Also comes after errors, when nobody may be waiting any more.
    socket.once('close', () => {
      clearTimeout(late);
      resolve(undefined);
    });
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
      if (!TRY_AGAIN.includes(code)) reject(new Error(`Connecting to ${name} failed: ${code}`));
    });
  });
}

function lastLines(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n');
  } catch {
    return ''; // Its server has ended normally.
  }
}
