// The folder of one repository in the cache that Hugging Face tools share: blobs by checksum, snapshots by commit, refs
// by branch. Knows paths and names, but neither the Hub nor the contents of files.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../machine/regularFile';

/** Suffix of our unfinished blobs. Other tools would append to files that end in `.incomplete` directly. */
const PARTIAL = '.flashline.incomplete';
/** Pattern of repository names. */
const NAME = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;
/** Pattern of blob names. */
export const CHECKSUM = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Returns whether a text has the form organisation/name. */
export function isRepositoryName(text: string): boolean {
  return NAME.test(text) && !text.includes('--') && !text.includes('..');
}

/** A file as the Hub lists it. */
export interface RepositoryFile {
  /** Path in the repository. Of the files in folders, only the chat template for tools is listed. */
  readonly name: string;
  readonly size: number;
  /** Name of its blob: the SHA-256 of a large file, or the git object id (SHA-1) of a small one. */
  readonly checksum: string;
  /** Whether Xet stores the file. */
  readonly isInXet?: boolean;
}

export class RepositoryCache {
  readonly folder: string;
  readonly locks: string;

  constructor(
    cache: string,
    readonly name: string,
  ) {
    const folderName = ['models', ...name.split('/')].join('--');
    this.folder = join(cache, folderName);
    this.locks = join(cache, '.locks', folderName);
  }

  get blobs(): string {
    return join(this.folder, 'blobs');
  }

  blob(checksum: string): string {
    return join(this.blobs, checksum);
  }

  /** Returns the path of an unfinished blob. */
  partial(checksum: string): string {
    return this.blob(checksum) + PARTIAL;
  }

  lock(checksum: string): string {
    return join(this.locks, `${checksum}.flashline.lock`);
  }

  snapshot(commit: string): string {
    return join(this.folder, 'snapshots', commit);
  }

  ref(branch: string): string {
    return join(this.folder, 'refs', branch);
  }

  /** Returns the commit of a branch; undefined if the branch was never downloaded. */
  commitOf(branch: string): string | undefined {
    try {
      const text = readRegularFile(this.ref(branch), 1000).toString().trim();
      return /^[0-9a-f]{40}$/.test(text) ? text : undefined;
    } catch {
      return undefined;
    }
  }

  /** Returns the commits with a snapshot: that of the main branch first, then the others, newest first. */
  commits(): string[] {
    const main = this.commitOf('main');
    const modifiedMs = (commit: string): number => statSync(this.snapshot(commit)).mtimeMs;
    const found = namesIn(join(this.folder, 'snapshots')).filter((name) => isFolder(this.snapshot(name)));
    const rest = found.filter((commit) => commit !== main).sort((a, b) => modifiedMs(b) - modifiedMs(a));
    return main !== undefined && found.includes(main) ? [main, ...rest] : rest;
  }

  /** Returns the names of finished blobs. Another tool can still be writing to unfinished ones. */
  finishedBlobs(): string[] {
    return namesIn(this.blobs).filter((name) => !name.endsWith('.incomplete'));
  }

  /** Returns the file names of our own unfinished blobs. */
  partials(): string[] {
    return namesIn(this.blobs).filter((name) => name.endsWith(PARTIAL));
  }

  bytesOf(blobs: readonly string[]): number {
    return blobs.reduce((sum, name) => sum + Math.max(0, sizeOf(this.blob(name))), 0);
  }

  /** Returns whether the blob of a file exists, with its size. Its bytes were verified if Flashline downloaded it. */
  has({ checksum, size }: RepositoryFile): boolean {
    return sizeOf(this.blob(checksum)) === size;
  }

  /** Returns the bytes of a file that have arrived, finished or not. */
  arrived(file: RepositoryFile): number {
    return this.has(file) ? file.size : Math.min(file.size, this.bytesOf([file.checksum + PARTIAL]));
  }
}

/** Returns the names of all repositories with a folder in a cache. */
export function repositoriesIn(cache: string): string[] {
  return namesIn(cache).flatMap(
    (folder) => /^models--([^-].*?)--(.+)$/.exec(folder)?.slice(1).join('/') ?? [],
  );
}

/** Lists a folder; empty if it does not exist. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name !== '.DS_Store');
  } catch {
    return [];
  }
}

/** Returns the size of a file in bytes, following links; -1 if there is none, or for anything else, such as a pipe. */
export function sizeOf(path: string): number {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stats.size : -1;
  } catch {
    return -1;
  }
}

/** Returns whether a path is a folder; false for a link that leads to itself. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
