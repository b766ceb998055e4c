// Where windows find the shared server: a name in a folder that only this user can access. Windows whose extension,
// program or environment differ compute different names, as their servers would not be interchangeable.
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, type Stats, readlinkSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { isAbsolute, join, basename, dirname } from 'node:path';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { processMark } from '../machine/isAlive';

export interface ServerIdentity {
  /** Version of the extension. */
  readonly version: string;
  /** Path of the server's program, when it was written (milliseconds since 1970), and its size in bytes. */
  readonly bundle: string;
  readonly writtenAt: number;
  readonly size: number;
  /** Path of the program that runs it. */
  readonly node: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Environment variables that the server or its downloads read; proxies are looked up in upper and lower case. */
const READ = [
  'FLASHLINE_CACHE',
  'HF_ENDPOINT',
  'HF_HOME',
  'HF_HUB_CACHE',
  'HF_TOKEN',
  'HF_TOKEN_PATH',
  'HOME',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'XDG_CACHE_HOME',
];
const PROXIES = ['ALL_PROXY', 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'];

/** Longest path of a socket, in bytes, on all systems; Linux allows 107. */
const MAX_PATH_BYTES = 103;

/** Path of the name in `folder`. Throws if it is too long for a socket. */
export function socketName(folder: string, identity: ServerIdentity): string {
  const { version, bundle, writtenAt, size, node, environment } = identity;
  const names = [...READ, ...PROXIES, ...PROXIES.map((name) => name.toLowerCase())];
  const read = names.map((name) => environment[name] ?? null);
  const hash = createHash('sha256').update(JSON.stringify([version, bundle, writtenAt, size, node, ...read]));
  const name = join(folder, hash.digest('hex').slice(0, 12));
  const bytes = Buffer.byteLength(boundSocket(name, '0'.repeat(ID_LENGTH)));
  if (bytes > MAX_PATH_BYTES)
    throw new Error(
      `Expected at most ${MAX_PATH_BYTES} bytes in the path of a socket, got ${bytes}: ${name}; ` +
        'set XDG_RUNTIME_DIR to a folder of this user with a shorter path.',
    );
  return name;
}

/** Length of the id that distinguishes servers of the same name. */
export const ID_LENGTH = 8;

/** The socket of one server; `name` is a link to the socket of the server that has taken it. */
export function boundSocket(name: string, id: string): string {
  return `${name}.${id}`;
}

/** The log of the server with this socket, empty unless something goes wrong. */
export function logOf(socket: string): string {
  return `${socket}.log`;
}

/**
 * Sent by a server before any message, to show that it is serving. Connecting alone proves little: it also works while
 * the process is about to end.
 */
export const GREETING = '\n';

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly temporaryFolder: string;
  /** Undefined on platforms without file owners. */
  readonly userId: number | undefined;
}

/** Path of the folder of the sockets, created if missing. Throws if it is not private; permissions are not repaired. */
export function socketFolder({ environment, temporaryFolder, userId }: Surroundings): string {
  if (userId === undefined)
    throw new Error('Expected sockets that only their owner can use, got a platform without them.');
  const runtime = environment['XDG_RUNTIME_DIR'] ?? '';
  // After `su` it belongs to another user; it may also be gone with the login session that created it.
  const usable = isAbsolute(runtime) && stats(runtime)?.uid === userId;
  const folder = usable ? join(runtime, 'flashline') : join(temporaryFolder, `flashline-${userId}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST')
      throw new Error(`Could not make the folder ${folder} for sockets (${code}).`, { cause: error });
  }
  requirePrivateFolder(folder, userId);
  return folder;
}

/** Throws unless it is a folder, not a link to one, that the user can use and nobody else can access. */
export function requirePrivateFolder(folder: string, userId: number | undefined): void {
  const found = stats(folder);
  const wrong =
    found === undefined
      ? 'none'
      : !found.isDirectory()
        ? 'something else'
        : found.uid !== userId
          ? 'one owned by another user'
          : (found.mode & 0o077) !== 0
            ? 'one that others can access'
            : (found.mode & 0o700) !== 0o700
              ? 'one that its owner cannot use'
              : undefined;
  if (wrong !== undefined)
    throw new Error(`Expected a folder of this user alone at ${folder}, got ${wrong}; remove it.`);
}

function stats(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

// Which of several servers is the shared one: the one whose socket the name links to. A link is created atomically,
// only where there is none, and each target is unique, so nothing here depends on timing.

const POLL_MS = 20;
const LIMIT_MS = 5_000;
/** The file of no server's socket has a longer name. */
const MAX_FILE = 100;

/**
 * Makes `name` a link to `socket`, on which the server already listens. Takes over the name of a server that has
 * crashed. Resolves to false if another server has the name, and rejects if neither can be established.
 */
export async function takeName(name: string, socket: string): Promise<boolean> {
  for (const end = performance.now() + LIMIT_MS; performance.now() < end;) {
    if (tryLink(basename(socket), name)) return true;
    const holder = linkedFrom(name);
    if (holder === undefined) continue;
    if (await answers(name)) return false;
    if (isFolder(name)) throw new Error(`Expected a link or nothing at ${name}, got a folder; remove it.`);
    if (!removeStale(name, holder)) await pause(POLL_MS);
  }
  throw new Error(`Expected to take ${name} or to find who holds it, got neither.`);
}

export function hasName(name: string, socket: string): boolean {
  return linkedFrom(name) === basename(socket);
}

/** Only to be called while the server still listens: until then nobody else touches the name. */
export function giveUpName(name: string, socket: string): void {
  if (hasName(name, socket)) unlinkSync(name);
}

/** Path of the socket that the name links to. */
export function holderOf(name: string): string | undefined {
  const holder = linkedFrom(name);
  return holder ? join(dirname(name), holder) : undefined;
}

/**
 * There is no socket of this user, or nothing listens at it: a file, a link to itself and one that leads through a file
 * are none.
 */
export const NOBODY: readonly string[] = [
  'ECONNREFUSED',
  'ENOENT',
  'ENOTSOCK',
  'ELOOP',
  'ENOTDIR',
  'ENAMETOOLONG',
  'EPROTOTYPE',
  'EACCES',
];

/** Whether a server listens. It starts to before it takes the name, so a refused connection means that it has ended. */
function answers(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(name);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => {
      resolve(!NOBODY.includes(code));
    });
  });
}

/**
 * Frees the name of a server that has ended. Only a process with a claim on this very server may do so: otherwise one
 * that found the old name could remove a new one. Claims of dead processes are outbid. Returns false if a live process
 * has a claim.
 */
function removeStale(name: string, holder: string): boolean {
  // A name may lead elsewhere, to itself or nowhere: only files beside it are removed.
  const file = basename(holder);
  const socket = join(dirname(name), file === '' || file.length > MAX_FILE ? basename(name) : file);
  const claims: string[] = [];
  for (;;) {
    const claim = `${socket}.gone${claims.length}`;
    claims.push(claim);
    if (tryLink(processMark(process.pid) ?? '', claim)) break;
    if (isRunning(claim)) return false;
  }
  try {
    if (linkedFrom(name) === holder) unlinkSync(name);
  } finally {
    // Folders are nobody's claims or sockets.
    for (const path of [socket, ...claims])
      if (path !== name && !isFolder(path)) rmSync(path, { force: true });
  }
  return true;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function tryLink(target: string, path: string): boolean {
  try {
    symlinkSync(target, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether the process that made a claim runs: its number alone may be that of another by now, as after a restart. */
function isRunning(claim: string): boolean {
  const mark = linkedFrom(claim);
  return mark !== undefined && mark === processMark(Number(mark.split('.')[0]));
}

/** What it links to, empty where something else has its name, and undefined where nothing has. */
function linkedFrom(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'EINVAL') return '';
    throw error;
  }
}
