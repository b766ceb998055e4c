// Which of several servers is the shared one: the one whose socket the name links to. A link is created atomically,
// only where there is none, and each target is unique, so nothing here depends on timing.
import { lstatSync, readlinkSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { processMark } from '../machine/isAlive';

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
