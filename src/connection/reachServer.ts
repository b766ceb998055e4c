// Connects to the server that all windows share, starts it if there is none, and ends it. Several windows can start a
// server at the same time; the servers then agree on which of them stays. Uses neither vscode nor LSP.
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
} from '../../server/socket/socketName';
import { holderOf, NO_LISTENER } from '../../server/socket/takeName';

/** Time limit to find the server, and again for the LSP handshake; then a window starts a server of its own. */
export const REACH_LIMIT_MS = 15_000;
const POLL_MS = 25;
const LAST_LINE_COUNT = 20;
/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 3_000;
/** Error codes to retry: no server listens, the server is ending, or too many clients connect at the same time. */
const TRY_AGAIN = [...NO_LISTENER, 'ECONNRESET', 'EPIPE', 'EAGAIN'];

export interface ServerProgram {
  /** Path of the server's bundle. */
  readonly module: string;
  /** Version of the extension. */
  readonly version: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Additional arguments of the server. */
  readonly args?: readonly string[];
  /** Time limit for the start and the answer; tests on busy machines raise it. */
  readonly limitMs?: number;
}

export interface ReachedServer {
  readonly socket: Socket;
  /** Returns the last lines that the server printed, which say why it crashed. */
  readonly lastOutput: () => string;
}

/** Connects to the shared server, started if needed; rejects with the reason if that fails. */
export async function reachServer(program: ServerProgram): Promise<ReachedServer> {
  const name = socketOf(program);
  const { limitMs = REACH_LIMIT_MS } = program;
  let starting: ReturnType<typeof start> | undefined;
  for (const end = performance.now() + limitMs; performance.now() < end; await pause(POLL_MS)) {
    const holder = holderOf(name);
    const socket = holder === undefined ? undefined : await greeted(name, end - performance.now());
    if (holder !== undefined && socket !== undefined)
      return { socket, lastOutput: () => lastLines(logOf(holder)) };
    // A server exits with 0 if another server has the name. That server can have ended since, so start again.
    if (starting === undefined || starting.child.exitCode === 0) starting = start(program, name);
    else if (hasFailed(starting.child))
      throw new Error(lastLines(starting.log) || "Flashline's server ended while it started.");
  }
  throw new Error(`Flashline's server did not start at ${name} within ${limitMs / 1000} s.`);
}

/** Ends a process that is not a child of this one, by SIGTERM and then SIGKILL. Waits for its end, but not forever. */
export async function endProcess(processId: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!send(processId, signal)) return;
    for (const end = performance.now() + GRACE_MS; performance.now() < end; await pause(POLL_MS))
      if (!send(processId, 0)) return;
  }
}

/** Sends a signal; 0 only checks the process. Returns whether this user has a process with this id. */
function send(processId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(processId, signal);
  } catch {
    return false;
  }
}

/** Returns the name of the socket that all windows with this program and environment share. */
function socketOf({ module, version, environment }: ServerProgram): string {
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

/** Starts a detached server, which outlives this window and ends when no window is left. */
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
    child.once('error', () => undefined); // The missing process id reveals the failure.
    child.unref();
    return { child, log };
  } finally {
    closeSync(output);
  }
}

function hasFailed({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

/**
 * Returns a socket over which our server has sent its greeting; undefined if no server answers in time. Rejects if
 * another program answers, and for errors after which another try would not help.
 */
function greeted(name: string, limitMs: number): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(name);
    const late = setTimeout(() => socket.destroy(), limitMs);
    socket.once('readable', () => {
      clearTimeout(late);
      const received = socket.read(GREETING.length) as Buffer | null;
      if (received === null) return;
      if (received.toString() === GREETING) return void resolve(socket);
      socket.destroy();
      reject(
        new Error(`A program other than Flashline's server listens at ${name}. End it, or remove that file.`),
      );
    });
    // Follows errors too; after a greeting or a rejection, the promise is already settled.
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
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LAST_LINE_COUNT).join('\n');
  } catch {
    return ''; // A server that ends normally removes its log.
  }
}
