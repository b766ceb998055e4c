// What a file is called behind links: the name that an editor knows may be harmless and lead to a file with secrets.
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, parse, resolve } from 'node:path';
import { isSecretPath } from './secretPaths';

/** No file system goes deeper, or follows more links. */
const LONGEST_PATH = 4096;
const MOST_LINKS = 40;

/**
 * `path` and, if there are links in it, every name that one of them leads to, whether or not there is such a file, and
 * the secret names that the same file has in its folder; with slashes, also on Windows. Opens nothing. Of a path without
 * links this takes some 12 us.
 */
export function pathsBehind(path: string): readonly string[] {
  const plain = path.replaceAll('\\', '/');
  if (path.length > LONGEST_PATH) return [plain];
  let real = '';
  try {
    real = realpathSync.native(path).replaceAll('\\', '/');
  } catch {
    // Nothing is there, but links may lead there.
  }
  const twins = real === '' ? [] : secretTwins(real);
  if (real === plain) return twins.length === 0 ? [plain] : [plain, ...twins];
  return [...new Set([plain, ...linkedPaths(path), real || plain, ...twins])];
}

/** Hard links: those beside a file can be found, and others could be anywhere. */
function secretTwins(path: string): string[] {
  try {
    const { nlink, ino, dev } = statSync(path);
    if (nlink < 2) return [];
    const beside = readdirSync(dirname(path)).map((name) => join(dirname(path), name));
    return beside.filter((other) => {
      if (!isSecretPath(other)) return false;
      const stats = statsOf(other);
      return stats?.ino === ino && stats.dev === dev;
    });
  } catch {
    return [];
  }
}

function linkedPaths(path: string): string[] {
  const found: string[] = [];
  for (let next: string | undefined = resolve(path); next !== undefined && found.length < MOST_LINKS;) {
    next = behindFirstLink(next);
    if (next !== undefined) found.push(next.replaceAll('\\', '/'));
  }
  return found;
}

/** Undefined for a path without links. */
function behindFirstLink(path: string): string | undefined {
  const { root } = parse(path);
  const names = path.slice(root.length).split(/[\\/]/);
  let folder = root;
  for (const [i, name] of names.entries()) {
    const here = join(folder, name);
    const stats = statsOf(here);
    if (stats === undefined) return undefined;
    if (stats.isSymbolicLink()) return resolve(folder, readlinkSync(here), ...names.slice(i + 1));
    folder = here;
  }
  return undefined;
}

function statsOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
