// The way to the server that all windows share: connects to it, and starts it where there is none. Several windows may
// do so at once; their servers agree on one. Knows no vscode and no messages.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { socketFolder } from '../server/socket/socketFolder';
import { boundSocket, ID_LENGTH, logOf, socketName } from '../server/socket/socketName';
import { holderOf } from '../server/socket/takeName';

/** For a server to start on a machine that has much else to do. */
const LIMIT_MS = 10_000;
const POLL_MS = 25;
const LAST_LINES = 20;

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
  let starting: Starting | undefined;
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await pause(POLL_MS)) {
    const holder = holderOf(name);
    const socket = holder === undefined ? undefined : await connected(name);
    if (holder !== undefined && socket !== undefined)
      return { socket, lastWords: () => lastLines(logOf(holder)) };
    if (starting === undefined || starting.child.exitCode === 0) starting = start(program, name);
    else if (hasFailed(starting.child))
      throw new Error(lastLines(starting.log) || 'The server did not start.');
  }
  throw new Error(`Expected a server at ${name} within ${LIMIT_MS / 1000} s, got none.`);
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

interface Starting {
  readonly child: ChildProcess;
  readonly log: string;
}

/** Nobody's child: it outlives this window, and ends when no window is left. */
function start({ module, environment, args = [] }: ServerProgram, name: string): Starting {
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

/** Undefined when nobody listens. */
function connected(name: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(name);
    socket.once('connect', () => {
      resolve(socket);
    });
    // Later ones are followed by a `close`, to which somebody listens.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Nobody, or too many at once.
      if (['ECONNREFUSED', 'ENOENT', 'EAGAIN'].includes(error.code ?? '')) resolve(undefined);
      else reject(error);
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
