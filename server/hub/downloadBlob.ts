// Downloads one blob from the Hub into the cache: resumes where it stopped, survives broken connections, and names the
// blob only when its bytes match its checksum.
import type { Hash } from 'node:crypto';
import {
  constants,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  existsSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { InputError } from '../rules/inputError';
import type { HubConnection, Wait } from './connection';
import { exchange, insist } from './exchange';
import { Failure } from './downloadError';
import { checksumLike, hashFile, type RepositoryCache, type RepositoryFile } from './repositoryCache';
import { dirname } from 'node:path';

export interface BlobDownload {
  readonly connection: HubConnection;
  readonly cache: RepositoryCache;
  readonly commit: string;
  readonly file: RepositoryFile;
  readonly signal: AbortSignal;
  /** Bytes of this blob that are there now, whoever downloaded them. */
  readonly onBytes: (bytes: number) => void;
}

export function urlOf({ endpoint }: HubConnection, repository: string, commit: string, file: string): string {
  return `${endpoint}/${repository}/resolve/${commit}/${encodeURI(file)}`;
}

/** Rejects with the reason of the signal when it aborts; what has arrived stays for the next time. */
export async function downloadBlob(download: BlobDownload): Promise<void> {
  const { connection, cache, file, signal, onBytes } = download;
  const isDone = (): boolean => cache.has(file);
  mkdirSync(cache.blobs, { recursive: true });
  const release = await lockBlob(cache.lock(file.checksum), { wait: connection.wait, signal, isDone });
  try {
    signal.throwIfAborted();
    if (release !== undefined && !isDone()) await finish(download);
  } finally {
    release?.();
  }
  onBytes(file.size);
}

async function finish(download: BlobDownload): Promise<void> {
  const { connection, cache, file, signal, onBytes } = download;
  const path = cache.partial(file.checksum);
  const blob = await PartialBlob.open(path, file, signal);
  let isWhole = false;
  try {
    // Bytes from an earlier run may be wrong: from another mirror, or left by a crash.
    for (let tries = blob.position > 0 ? 2 : 1; !isWhole; tries -= 1) {
      if (tries === 0) throw wrongBytes(download);
      onBytes(blob.position);
      if (blob.position < file.size)
        await insist(connection, cache.name, signal, (arrived) => fetchRest(download, blob, arrived));
      isWhole = await blob.isWhole();
      if (!isWhole) await blob.restart();
    }
  } finally {
    await blob.close();
    // A whole file may be empty.
    if (!isWhole && blob.position === 0) rmSync(path, { force: true });
  }
  try {
    renameSync(path, cache.blob(file.checksum));
  } catch (error) {
    // If the lock failed, another process may have finished it.
    if (!cache.has(file)) throw error;
    rmSync(path, { force: true });
  }
}

/** Requests what is missing over one connection and appends what arrives. Throws Failure unless that completes it. */
async function fetchRest(download: BlobDownload, blob: PartialBlob, arrived: () => void): Promise<void> {
  const { connection, cache, commit, file, signal, onBytes } = download;
  const url = urlOf(connection, cache.name, commit, file.name);
  const from = blob.position;
  const headers: Record<string, string> = from > 0 ? { range: `bytes=${String(from)}-` } : {};
  const check = async (response: Response): Promise<void> => {
    const { status, ok } = response;
    if (!ok && status !== 416) throw Failure.ofAnswer(response, connection);
    if (status === 206 && startOf(response) !== from) throw new Failure('a part other than requested');
    // The host does not support ranges.
    if (status !== 206 && from > 0) await blob.restart();
    if (!ok) throw new Failure('no such part');
  };
  for await (const chunk of exchange(connection, { url, headers, signal }, check)) {
    await blob.append(chunk);
    if (blob.position > from) arrived();
    onBytes(blob.position);
  }
  if (blob.position < file.size) throw new Failure('connection ended early');
}

function startOf({ headers }: Response): number {
  return Number(/^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1] ?? NaN);
}

function wrongBytes({ cache, file }: BlobDownload): InputError {
  return new InputError({
    expected: `${file.name} of ${cache.name} with the checksum ${file.checksum}`,
    got: 'different bytes, which were discarded',
    remedy: 'try again, or use another network or mirror',
    command: 'HF_ENDPOINT',
  });
}

/** What has arrived so far: a file that grows at its end, and the running checksum of its contents. */
class PartialBlob {
  private constructor(
    private readonly file: RepositoryFile,
    private readonly handle: FileHandle,
    private hash: Hash,
    /** Bytes that are there. */
    public position: number,
  ) {}

  /** Reads what is there already, and starts over if that is too much. */
  static async open(path: string, file: RepositoryFile, signal: AbortSignal): Promise<PartialBlob> {
    // A link would lead the bytes to another file.
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) rmSync(path, { recursive: true });
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0));
    try {
      const { size } = await handle.stat();
      const position = size > file.size ? 0 : size;
      if (position !== size) await handle.truncate(0);
      const hash = checksumLike(file.checksum, file.size);
      await hashFile(hash, path, position, signal);
      return new PartialBlob(file, handle, hash, position);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async append(bytes: Uint8Array): Promise<void> {
    if (this.position + bytes.length > this.file.size) {
      await this.restart();
      // Retrying would not help: the Hub has listed another size.
      throw Failure.refused('more bytes than listed');
    }
    for (let done = 0; done < bytes.length;) {
      const rest = bytes.subarray(done);
      // An explicit position: if two processes write by mistake, they write the same bytes to the same place.
      const { bytesWritten } = await this.handle.write(rest, 0, rest.length, this.position);
      this.hash.update(rest.subarray(0, bytesWritten));
      this.position += bytesWritten;
      done += bytesWritten;
    }
  }

  async restart(): Promise<void> {
    await this.handle.truncate(0);
    this.position = 0;
    this.hash = checksumLike(this.file.checksum, this.file.size);
  }

  /** Whether all bytes are there and right; if so, they are synced to disk and survive a power cut. */
  async isWhole(): Promise<boolean> {
    const { size, checksum } = this.file;
    if (this.position !== size || this.hash.copy().digest('hex') !== checksum) return false;
    await this.handle.sync();
    return true;
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}

const TOUCH_MS = 2_000;
/** A writer that has not touched its file for this long is gone. */
const STALE_MS = 15_000;
const POLL_MS = 250;

interface LockRequest {
  readonly wait: Wait;
  readonly signal?: AbortSignal | undefined;
  /** Called before each attempt: another process may have written the blob by now. */
  readonly isDone: () => boolean;
}

/** Waits for the lock. Returns its release, or undefined if nothing is left to do or the signal aborts. */
export async function lockBlob(
  file: string,
  { wait, signal, isDone }: LockRequest,
): Promise<(() => void) | undefined> {
  mkdirSync(dirname(file), { recursive: true });
  while (!isDone() && !signal?.aborted) {
    removeStale(file);
    try {
      writeFileSync(file, '', { flag: 'wx' });
      return held(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    await wait(POLL_MS, signal);
  }
  // Its writer may have been killed between the last byte and the release.
  removeStale(file);
  return undefined;
}

function held(file: string): () => void {
  const touch = setInterval(() => {
    const now = new Date();
    if (existsSync(file)) utimesSync(file, now, now);
  }, TOUCH_MS).unref();
  return () => {
    clearInterval(touch);
    rmSync(file, { force: true });
  };
}

function removeStale(file: string): void {
  const touchedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  // A clock that was set back must not make it last.
  if (Math.abs(Date.now() - touchedMs) > STALE_MS) rmSync(file, { force: true });
}
