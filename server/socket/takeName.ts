// Which of several servers is the shared one: the one whose socket the name links to. A link is created atomically,
// only where there is none, and each target is unique, so nothing here depends on timing.
import { readlinkSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { processMark } from '../machine/processMark';

const POLL_MS = 20;
const LIMIT_MS = 5_000;

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

/** There is no socket, or nothing listens at it: a file and a link to itself are none. */
const NOBODY: readonly unknown[] = ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK', 'ELOOP'];

/** Whether a server listens. It starts to before it takes the name, so a refused connection means that it has ended. */
function answers(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(name);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
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
  const socket = join(dirname(name), basename(holder) || basename(name));
  const claims: string[] = [];
  for (;;) {
    const claim = `${socket}.gone${claims.length}`;
    claims.push(claim);
    if (tryLink(processMark(process.pid) ?? '', claim)) break;
    if (isRunning(claim)) return false;
  }
  try {
    if (linkedFrom(name) === holder) unlinkSync(name);
    if (socket !== name) rmSync(socket, { force: true });
  } finally {
    for (const claim of claims) rmSync(claim, { force: true });
  }
  return true;
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
