// The folder of one repository in the cache that Hugging Face tools share: blobs by checksum, snapshots by commit,
// refs by branch. Knows paths and names, but neither the Hub nor the contents of files.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../machine/regularFile';

/** Our own suffix: another tool would append to a file with its suffix while we write to it. */
const PARTIAL = '.flashline.incomplete';
const NAME = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;
/** The name of a blob. */
export const CHECKSUM = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Whether it looks like organisation/name. */
export function isRepositoryName(text: string): boolean {
  return NAME.test(text) && !text.includes('--') && !text.includes('..');
}

/** As the Hub lists it. */
export interface RepositoryFile {
  /** Of a file at the top level; of those in folders one is listed. */
  readonly name: string;
  readonly size: number;
  /** The name of its blob: the SHA-256 of a large file, or the git object id (SHA-1) of a small one. */
  readonly checksum: string;
  /** Whether Xet stores it. */
  readonly isInXet?: boolean;
}

export class RepositoryCache {
  readonly folder: string;
  readonly locks: string;

  constructor(
    cache: string,
    readonly name: string,
  ) {
    const own = ['models', ...name.split('/')].join('--');
    this.folder = join(cache, own);
    this.locks = join(cache, '.locks', own);
  }

  get blobs(): string {
    return join(this.folder, 'blobs');
  }

  blob(checksum: string): string {
    return join(this.blobs, checksum);
  }

  /** What has arrived of a blob. */
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

  /** Undefined if the branch was never downloaded. */
  commitOf(branch: string): string | undefined {
    try {
      const text = readRegularFile(this.ref(branch), 1000).toString().trim();
      return /^[0-9a-f]{40}$/.test(text) ? text : undefined;
    } catch {
      return undefined;
    }
  }

  /** Commits with a snapshot, the newest first, those of the main branch before others. */
  commits(): string[] {
    const main = this.commitOf('main');
    const age = (commit: string): number => statSync(this.snapshot(commit)).mtimeMs;
    const found = namesIn(join(this.folder, 'snapshots')).filter((name) => isFolder(this.snapshot(name)));
    const rest = found.filter((commit) => commit !== main).sort((a, b) => age(b) - age(a));
    return main !== undefined && found.includes(main) ? [main, ...rest] : rest;
  }

  /** Names of blobs, without the unfinished ones, to which another tool may be writing. */
  wholeBlobs(): string[] {
    return namesIn(this.blobs).filter((name) => !name.endsWith('.incomplete'));
  }

  /** Names of blobs that are unfinished here. */
  partials(): string[] {
    return namesIn(this.blobs).filter((name) => name.endsWith(PARTIAL));
  }

  bytesOf(blobs: readonly string[]): number {
    return blobs.reduce((sum, name) => sum + Math.max(0, sizeOf(this.blob(name))), 0);
  }

  /** Whether the blob of a file is there. Its contents were checked when it arrived. */
  has({ checksum, size }: RepositoryFile): boolean {
    return sizeOf(this.blob(checksum)) === size;
  }

  /** Bytes that are there of a file, whole or not. */
  arrived(file: RepositoryFile): number {
    return this.has(file) ? file.size : Math.min(file.size, this.bytesOf([file.checksum + PARTIAL]));
  }
}

/** Names of all repositories with something in a cache. */
export function repositoriesIn(cache: string): string[] {
  return namesIn(cache).flatMap(
    (folder) => /^models--([^-].*?)--(.+)$/.exec(folder)?.slice(1).join('/') ?? [],
  );
}

/** Empty for a folder that is not there. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name !== '.DS_Store');
  } catch {
    return [];
  }
}

/** Size of a file in bytes, following links; -1 if there is none, or something else, such as a pipe. */
export function sizeOf(path: string): number {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stats.size : -1;
  } catch {
    return -1;
  }
}

/** Also false for a link that leads to itself. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
