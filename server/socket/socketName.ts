// Computes the name under which windows find the shared server: a path in a folder that only this user can access.
// Windows with another extension, program or environment get another name, since their servers are not interchangeable.
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { UserError, WrongValue } from '../rules/userError';

export interface ServerIdentity {
  /** Version of the extension. */
  readonly version: string;
  /** Path of the server's JavaScript bundle. */
  readonly bundle: string;
  /** Time at which the bundle was written, ms since 1970. */
  readonly writtenAt: number;
  /** Bytes of the bundle. */
  readonly size: number;
  /** Path of the Node.js executable that runs it. */
  readonly node: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Environment variables of folders, downloads and Node.js: windows in which one differs get another server. */
const READ_VARIABLES = [
  'FLASHLINE_CACHE',
  'HF_ENDPOINT',
  'HF_HOME',
  'HF_HUB_CACHE',
  'HF_TOKEN',
  'HF_TOKEN_PATH',
  'HOME',
  'HUGGINGFACE_HUB_CACHE',
  'HUGGING_FACE_HUB_TOKEN',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'XDG_CACHE_HOME',
];
/** The same for proxies, whose variables are read in upper and lower case. */
const PROXY_VARIABLES = ['ALL_PROXY', 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'];

/** Maximum bytes of a socket's path on all systems; Linux allows 107. */
const MAX_PATH_BYTES = 103;

/** Characters of the id that distinguishes servers of the same name. */
export const ID_LENGTH = 8;

/** Returns the path of the name in `folder`. Throws if it is too long for a socket. */
export function socketName(folder: string, identity: ServerIdentity): string {
  const { version, bundle, writtenAt, size, node, environment } = identity;
  const names = [...READ_VARIABLES, ...PROXY_VARIABLES, ...PROXY_VARIABLES.map((name) => name.toLowerCase())];
  const read = names.map((name) => environment[name] ?? null);
  const hash = createHash('sha256').update(JSON.stringify([version, bundle, writtenAt, size, node, ...read]));
  const name = join(folder, hash.digest('hex').slice(0, 12));
  const bytes = Buffer.byteLength(boundSocket(name, '0'.repeat(ID_LENGTH)));
  if (bytes > MAX_PATH_BYTES)
    throw new WrongValue({
      expected: `at most ${MAX_PATH_BYTES} bytes in the path of a socket`,
      got: `${bytes} (${name})`,
      remedy: 'set XDG_RUNTIME_DIR to a folder of this user with a shorter path',
    });
  return name;
}

/** Returns the path of one server's own socket. `name` is a link to the socket of the server that has taken it. */
export function boundSocket(name: string, id: string): string {
  return `${name}.${id}`;
}

/** Returns the path of the log of the server with this socket. The log is empty unless something goes wrong. */
export function logOf(socket: string): string {
  return `${socket}.log`;
}

/**
 * First byte that a server sends, before any message. A connection alone does not prove that a server runs: it also
 * succeeds while the process is ending.
 */
export const GREETING = '\n';

interface SocketFolderOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly temporaryFolder: string;
  /** Undefined on platforms without file owners. */
  readonly userId: number | undefined;
}

/** Returns the folder of the sockets, created if missing. Throws if it is not private; permissions are not repaired. */
export function socketFolder({ environment, temporaryFolder, userId }: SocketFolderOptions): string {
  if (userId === undefined) throw new Error('This platform has no sockets that are private to a user.');
  const runtime = environment['XDG_RUNTIME_DIR'] ?? '';
  // After `su`, the folder belongs to another user, and it is deleted with the login session that created it.
  const isUsable = isAbsolute(runtime) && stats(runtime)?.uid === userId;
  const folder = isUsable ? join(runtime, 'flashline') : join(temporaryFolder, `flashline-${userId}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST')
      throw new UserError(
        `Could not make the folder ${folder} for sockets (${code}). Set XDG_RUNTIME_DIR to a folder of this user.`,
        { cause: error },
      );
  }
  requirePrivateFolder(folder, userId);
  return folder;
}

/** Throws unless the path is a folder, and not a link to one, that only this user can access. */
export function requirePrivateFolder(folder: string, userId: number | undefined): void {
  const found = stats(folder);
  if (found === undefined)
    throw new UserError(`The folder ${folder} for sockets does not exist. Restart Flashline's server.`);
  const problem = privacyProblem(found, userId);
  if (problem !== undefined)
    throw new UserError(`${folder} must be a folder of this user alone, but it ${problem}.`);
}

/** Returns why a file is not a private folder, and the remedy, as the end of a text; undefined if it is one. */
function privacyProblem(found: Stats, userId: number | undefined): string | undefined {
  if (!found.isDirectory()) return 'is not a folder. Remove it';
  if (found.uid !== userId) return 'belongs to another user. Set XDG_RUNTIME_DIR to a folder of this user';
  if ((found.mode & 0o077) !== 0) return 'is open to other users. Remove it';
  return (found.mode & 0o700) === 0o700 ? undefined : 'cannot be used by its owner. Remove it';
}

function stats(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
