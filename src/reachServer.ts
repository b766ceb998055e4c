// The way to the server that all windows share: connects to it, starts it where there is none, and ends it. Several
// windows may start one at once; their servers agree on one. Knows no vscode and no messages.
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
} from '../server/socket/socketName';
import { holderOf } from '../server/socket/takeName';

/** For a server to start on a machine that has much else to do. */
const LIMIT_MS = 15_000;
const POLL_MS = 25;
const LAST_LINES = 20;
/** For a process to end by itself once it was asked to. */
const ASK_MS = 3_000;
/** Nobody listens, the process is about to end, or too many connect at once. */
const TRY_AGAIN = ['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE', 'EAGAIN'];

export interface ServerProgram {
  /** Path of the server's bundle. */
  readonly module: string;
  /** Of the extension. */
  readonly version: string;
  readonly environment: NodeJS.ProcessEnv;
  /** What the server gets beside the name. */
  readonly args?: readonly string[];
}

export interface ReachedServer {
  readonly socket: Socket;
  /** The last lines that the server has printed, which tell why it has crashed. */
  readonly lastWords: () => string;
}

/** Rejects where there can be no shared server, with the reason. */
export async function reachServer(program: ServerProgram): Promise<ReachedServer> {
  const name = nameOf(program);
  let starting: ReturnType<typeof start> | undefined;
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await pause(POLL_MS)) {
    const holder = holderOf(name);
    const socket = holder === undefined ? undefined : await greeted(name, end - Date.now());
    if (holder !== undefined && socket !== undefined)
      return { socket, lastWords: () => lastLines(logOf(holder)) };
    if (starting === undefined || starting.child.exitCode === 0) starting = start(program, name);
    else if (hasFailed(starting.child))
      throw new Error(lastLines(starting.log) || 'The server did not start.');
  }
  throw new Error(`Expected a server at ${name} within ${LIMIT_MS / 1000} s, got none.`);
}

/** A process that is no child of this one: asks it to end, and makes it when it does not. Resolves when it has gone. */
export async function endProcess(processId: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!send(processId, signal)) return;
    for (const end = Date.now() + ASK_MS; Date.now() < end; await pause(POLL_MS))
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

/** Nobody's child: it outlives this window, and ends when no window is left. */
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
    child.once('error', () => undefined); // It has no process id then.
    child.unref();
    return { child, log };
  } finally {
    closeSync(output);
  }
}

function hasFailed({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

/** Undefined when nobody serves there, or not yet. */
function greeted(name: string, limitMs: number): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(name);
    const late = setTimeout(() => socket.destroy(), limitMs);
    socket.once('readable', () => {
      clearTimeout(late);
      if (socket.read(GREETING.length) !== null) resolve(socket);
    });
    // Comes after errors, too, and then nobody may be waiting any more.
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
    return ''; // Its server has ended as it should.
  }
}
