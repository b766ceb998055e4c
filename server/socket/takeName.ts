// Who of several servers is the shared one: the one whose socket the name links to. A link is made in one step and
// only where there is none, and the target of each is unlike all others, so that nothing here goes by times.
import { readlinkSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 20;
const LIMIT_MS = 5_000;

/**
 * Makes `name` a link to `socket`, which is listened to already. Gives false when another server has the name. The name
 * of one that has crashed is taken over. Rejects when neither comes about.
 */
export async function takeName(name: string, socket: string): Promise<boolean> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end;) {
    if (tryLink(basename(socket), name)) return true;
    const holder = linkedFrom(name);
    if (holder === undefined) continue;
    if (await answers(name)) return false;
    if (!removeStale(name, holder)) await pause(POLL_MS);
  }
  throw new Error(`Expected to take ${name} or to find who has it, got neither.`);
}

export function hasName(name: string, socket: string): boolean {
  return linkedFrom(name) === basename(socket);
}

/** Only while the socket is still listened to: nobody else touches the name meanwhile. */
export function giveUpName(name: string, socket: string): void {
  if (hasName(name, socket)) unlinkSync(name);
}

/** Path of the socket that has the name. */
export function holderOf(name: string): string | undefined {
  const holder = linkedFrom(name);
  return holder === undefined ? undefined : join(dirname(name), holder);
}

/** Whether a server listens. As it does so before it takes the name, a refusal means that it has ended. */
function answers(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(name);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT');
    });
  });
}

/**
 * Frees the name of a server that has ended. Only who has the claim on this very server may: otherwise one who found
 * the old name could remove a new one. Claims of who has died over it are outbid. Gives false when somebody alive is
 * at it.
 */
function removeStale(name: string, holder: string): boolean {
  const socket = join(dirname(name), holder);
  const claims: string[] = [];
  for (;;) {
    const claim = `${socket}.gone${claims.length}`;
    claims.push(claim);
    if (tryLink(String(process.pid), claim)) break;
    if (isAlive(Number(linkedFrom(claim)))) return false;
  }
  if (linkedFrom(name) === holder) unlinkSync(name);
  for (const path of [socket, ...claims]) rmSync(path, { force: true });
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

function linkedFrom(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
