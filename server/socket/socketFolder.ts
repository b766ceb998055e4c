// The folder of the sockets: of this user alone. One that others could look into or replace is refused, not mended.
import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import { isAbsolute, join } from 'node:path';

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly temporaryFolder: string;
  /** Undefined where a platform knows no owners of files. */
  readonly userId: number | undefined;
}

/** Path of the folder, which exists then. Throws where there cannot be one. */
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
