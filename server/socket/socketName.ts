// Where windows find the shared server: a name in a folder of this user alone. Windows whose servers would not be
// interchangeable, as the extension, the program or the environment differs, compute different names and never meet.
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import { isAbsolute, join } from 'node:path';

export interface ServerIdentity {
  /** Of the extension. */
  readonly version: string;
  /** Path of the server's program, when it was written (milliseconds since 1970), and its bytes. */
  readonly bundle: string;
  readonly writtenAt: number;
  readonly size: number;
  /** Path of the program that runs it. */
  readonly node: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What the server or its downloads read of the environment; names of proxies are looked up in both spellings. */
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

/** Bytes of a socket's path; Linux has 107. */
const MAX_PATH_BYTES = 103;

/** Path of the name in `folder`. Throws when the system's sockets cannot have so long a path. */
export function socketName(folder: string, identity: ServerIdentity): string {
  const { version, bundle, writtenAt, size, node, environment } = identity;
  const names = [...READ, ...PROXIES, ...PROXIES.map((name) => name.toLowerCase())];
  const read = names.map((name) => environment[name] ?? null);
  const hash = createHash('sha256').update(JSON.stringify([version, bundle, writtenAt, size, node, ...read]));
  const name = join(folder, hash.digest('hex').slice(0, 12));
  const bytes = Buffer.byteLength(boundSocket(name, '0'.repeat(ID_LENGTH)));
  if (bytes > MAX_PATH_BYTES)
    throw new Error(
      `Expected at most ${MAX_PATH_BYTES} bytes in the path of a socket, got ${bytes}: ${name}.`,
    );
  return name;
}

/** Characters that tell a server from others of the same name. */
export const ID_LENGTH = 8;

/** The socket of one server; `name` is a link to that of the server which has taken it. */
export function boundSocket(name: string, id: string): string {
  return `${name}.${id}`;
}

/** What the server with this socket prints, which is nothing unless something goes wrong. */
export function logOf(socket: string): string {
  return `${socket}.log`;
}

/**
 * What a server sends first, before any message: it is there and serves. A socket alone can be connected to while its
 * process is about to end.
 */
export const GREETING = '\n';

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly temporaryFolder: string;
  /** Undefined where a platform knows no owners of files. */
  readonly userId: number | undefined;
}

/** Path of the folder of the sockets, which exists then. Throws where there cannot be one; none is mended. */
export function socketFolder({ environment, temporaryFolder, userId }: Surroundings): string {
  if (userId === undefined)
    throw new Error('Expected sockets that only their owner can use, got a platform without.');
  const runtime = environment['XDG_RUNTIME_DIR'] ?? '';
  // Of another user after `su`, or gone with the login that made it.
  const usable = isAbsolute(runtime) && stats(runtime)?.uid === userId;
  const folder = usable ? join(runtime, 'flashline') : join(temporaryFolder, `flashline-${userId}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  requirePrivateFolder(folder, userId);
  return folder;
}

/** Throws unless it is a folder, no link to one, that belongs to the user and is closed to everybody else. */
export function requirePrivateFolder(folder: string, userId: number | undefined): void {
  const found = stats(folder);
  const wrong =
    found === undefined
      ? 'none'
      : !found.isDirectory()
        ? 'something else'
        : found.uid !== userId
          ? 'one of another user'
          : (found.mode & 0o077) !== 0
            ? 'one that others may enter'
            : undefined;
  if (wrong !== undefined)
    throw new Error(`Expected a folder of this user alone at ${folder}, got ${wrong}; remove it.`);
}

function stats(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
