// Decides which of several servers is the shared one: the server to whose socket the name is a link. Creating a link is
// atomic and fails if one exists, and each server has its own socket, so nothing depends on timing.
import { basename, join, dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { unlinkSync, rmSync, lstatSync, symlinkSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { hasRunningProcess, processMark } from '../machine/isAlive';
import { UserError } from '../rules/userError';

const POLL_MS = 20;

/** Time limit for taking the name. */
const LIMIT_MS = 5_000;

/** Maximum length of a socket's file name. */
const MAX_FILE_LENGTH = 100;

/**
 * Makes `name` a link to `socket`, on which the server already listens. Takes over the name of a server that has
 * crashed. Resolves with false if another server has the name; rejects if that cannot be determined in time.
 */
export async function takeName(name: string, socket: string): Promise<boolean> {
  for (const end = performance.now() + LIMIT_MS; performance.now() < end;) {
    if (tryLink(basename(socket), name)) return true;
    const holder = linkTarget(name);
    if (holder === undefined) continue;
    if (await isListening(name)) return false;
    if (isFolder(name)) throw new UserError(`There is a folder at ${name}. Remove it.`);
    if (!removeStale(name, holder)) await pause(POLL_MS);
  }
  throw new UserError(
    `Could not take the socket name ${name} within ${LIMIT_MS / 1000} s, nor find the server that has it. ` +
      'Remove that file.',
  );
}

/** Returns whether the server with this socket has the name. */
export function hasName(name: string, socket: string): boolean {
  return linkTarget(name) === basename(socket);
}

/** Releases the name, if this server has it. Call while the server listens, so that no other has taken the name. */
export function releaseName(name: string, socket: string): void {
  if (hasName(name, socket)) unlinkSync(name);
}

/** Returns the path of the socket to which the name is a link; undefined without one. */
export function holderOf(name: string): string | undefined {
  const holder = linkTarget(name);
  return holder ? join(dirname(name), holder) : undefined;
}

/** Error codes of a connection to a path at which there is no socket of this user, or no server listens. */
export const NO_LISTENER: readonly string[] = [
  'ECONNREFUSED',
  'ENOENT',
  'ENOTSOCK',
  'ELOOP',
  'ENOTDIR',
  'ENAMETOOLONG',
  'EPROTOTYPE',
  'EACCES',
];

/**
 * Returns whether a server listens at the name. Servers listen before they take the name, so a refused connection means
 * that the server has ended.
 */
function isListening(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(name);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => {
      resolve(!NO_LISTENER.includes(code));
    });
  });
}

/**
 * Frees the name of a server that has ended. First claims its socket, by a link next to it, so that only one process
 * removes the name: otherwise, a process that has seen the old link could remove a new one. Skips the claims of dead
 * processes. Returns false if a running process has a claim, or if this process has no mark: other processes would skip
 * a claim without a mark.
 */
function removeStale(name: string, holder: string): boolean {
  const mark = processMark(process.pid);
  if (mark === undefined) return false;
  // The link can point anywhere, even to itself. Only files in its own folder are removed. If the name is not a link,
  // or its target cannot be a socket's file name, the claims are next to the name itself.
  const file = basename(holder);
  const socket = join(dirname(name), file === '' || file.length > MAX_FILE_LENGTH ? basename(name) : file);
  const claims: string[] = [];
  for (;;) {
    const claim = `${socket}.gone${claims.length}`;
    claims.push(claim);
    if (tryLink(mark, claim)) break;
    if (isRunning(claim)) return false;
  }
  try {
    if (linkTarget(name) === holder) unlinkSync(name);
  } finally {
    // A folder is neither a claim nor a socket, so it stays.
    for (const path of [socket, ...claims])
      if (path !== name && !isFolder(path)) rmSync(path, { force: true });
  }
  return true;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Creates a link; returns false if there is a file at its path. */
function tryLink(target: string, path: string): boolean {
  try {
    symlinkSync(target, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Returns whether the process that made a claim is running. */
function isRunning(claim: string): boolean {
  const mark = linkTarget(claim);
  return mark !== undefined && hasRunningProcess(mark);
}

/** Returns the target of a link, '' for anything that is not a link, and undefined if there is nothing. */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'EINVAL') return '';
    throw error;
  }
}
