// The folder of one repository in the cache that Hugging Face tools share: blobs by checksum, snapshots by commit,
// refs by branch. Knows paths and names, but neither the Hub nor the contents of files.
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { dirname } from 'node:path/posix';
import * as z from 'zod/mini';
import { TOOL_TEMPLATE } from '../models/checkpoint/configFields';
import { InputError } from '../rules/inputError';
import { fieldsOf, parseJson, type Fields } from '../rules/json';
import type { HubConnection } from './connection';
import { firstBytes } from './exchange';

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
      const text = readFileSync(this.ref(branch), 'utf8').trim();
      return /^[0-9a-f]{40}$/.test(text) ? text : undefined;
    } catch {
      return undefined;
    }
  }

  /** Commits with a snapshot, the newest first, those of the main branch before others. */
  commits(): string[] {
    const main = this.commitOf('main');
    const age = (commit: string): number => statSync(this.snapshot(commit)).mtimeMs;
    const found = namesIn(join(this.folder, 'snapshots')).filter((name) => sizeOf(this.snapshot(name)) >= 0);
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

/** In bytes, following links; -1 if nothing is there, or a link that leads to itself. */
export function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return -1;
  }
}

/**
 * The name of a file as a blob, of 64 digits: the SHA-256 of its bytes; or of 40, for small files: their SHA-1 as git
 * computes it.
 */
export async function blobName(file: string, digits: number, signal: AbortSignal): Promise<string> {
  const hash =
    digits === 64 ? createHash('sha256') : createHash('sha1').update(`blob ${String(sizeOf(file))}\0`);
  const stream = createReadStream(file, { highWaterMark: 1 << 20, signal });
  for await (const chunk of stream as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}

// What the Hub says about a repository: its commit, its licence, and its files with sizes and checksums.

export interface Repository {
  readonly name: string;
  readonly commit: string;
  /** As on its model card, such as apache-2.0. */
  readonly license: string | undefined;
  readonly files: readonly RepositoryFile[];
}

const COMMIT = /^[0-9a-f]{40}$/;
const FILE_NAME = /^\w[\w.-]*$/;
const OID = z.string().check(z.regex(CHECKSUM));
const SIZE = z.int().check(z.nonnegative());
/** Whichever mirror answers. */
const LISTED = z.object({
  size: SIZE,
  oid: z.optional(OID),
  lfs: z.optional(z.nullable(z.object({ oid: OID, size: SIZE }))),
});
/** Limits of a listing, which comes in pages. */
const MOST_BYTES = 64e6;
const MOST_PAGES = 100;
const NEXT_PAGE = /<(https?:\/\/[^>]+)>;\s*rel="next"/;

/** Makes a few requests to the Hub. Throws InputError when it does not answer, or not with anything usable. */
export async function readRepository(
  connection: HubConnection,
  name: string,
  signal: AbortSignal,
): Promise<Repository> {
  const { endpoint } = connection;
  const unusable = (got: string): InputError =>
    new InputError({
      expected: `a listing of ${name} from ${new URL(endpoint).host}`,
      got,
      remedy: 'check the endpoint, then try again',
      command: 'HF_ENDPOINT',
    });
  let bytesLeft = MOST_BYTES;
  const read = async (url: string): Promise<{ json: unknown; headers: Headers }> => {
    if (!URL.canParse(url)) throw unusable('something else');
    const { bytes, headers } = await firstBytes(connection, name, { url, signal }, bytesLeft + 1);
    bytesLeft -= bytes.length;
    if (bytesLeft < 0) throw unusable('an oversized answer');
    try {
      return { json: parseJson(bytes.toString()), headers };
    } catch {
      throw unusable('something else');
    }
  };
  const api = `${endpoint}/api/models/${name}`;
  const { sha: commit, cardData } = fieldsOf((await read(`${api}/revision/main`)).json);
  if (typeof commit !== 'string' || !COMMIT.test(commit)) throw unusable('no commit');
  const files = new Map<string, RepositoryFile>();
  // Grows by folders and further pages.
  const pages = new Set([`${api}/tree/${commit}`]);
  for (const page of pages) {
    if (pages.size > MOST_PAGES) throw unusable('an oversized answer');
    const { json, headers } = await read(page);
    if (!Array.isArray(json)) throw unusable('something else');
    for (const entry of json.map(fieldsOf)) {
      const { type, path } = entry;
      if (type === 'directory' && path === dirname(TOOL_TEMPLATE)) pages.add(`${api}/tree/${commit}/${path}`);
      if (type !== 'file' || typeof path !== 'string' || !isUsed(path)) continue;
      const { data } = LISTED.safeParse(entry);
      const { oid: checksum, size } = data?.lfs ?? data ?? {};
      if (checksum === undefined || size === undefined) throw unusable(`no size or checksum for ${path}`);
      files.set(path, { name: path, size, checksum });
    }
    const next = NEXT_PAGE.exec(headers.get('link') ?? '')?.[1];
    if (next !== undefined) pages.add(next);
  }
  return { name, commit, license: licenseOf(fieldsOf(cardData)), files: [...files.values()] };
}

function isUsed(path: string): boolean {
  return FILE_NAME.test(path) || path === TOOL_TEMPLATE;
}

function licenseOf({ license, license_name: name }: Fields): string | undefined {
  const named = license === 'other' && typeof name === 'string' ? name : license;
  // A terminal would obey control characters.
  return typeof named === 'string' ? named.replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD').slice(0, 100) : undefined;
}
