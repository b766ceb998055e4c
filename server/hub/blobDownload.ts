// Downloads one blob from the Hub into the cache: resumes where it stopped, survives broken connections, and names the
// blob only when its bytes match its checksum.
import { constants, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { lockFile } from '../machine/isAlive';
import { InputError } from '../rules/inputError';
import { blobChecksum } from './blobChecksum';
import type { HubConnection } from './connection';
import { Failure } from './downloadError';
import { exchange, insist } from './exchange';
import { sizeOf, type RepositoryCache, type RepositoryFile } from './repositoryCache';

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
  const release = await lockFile(cache.lock(file.checksum), { wait: connection.wait, signal, isDone });
  try {
    signal.throwIfAborted();
    if (release !== undefined && !isDone()) await finish(download);
  } finally {
    release?.();
  }
  onBytes(file.size);
}

async function finish(download: BlobDownload): Promise<void> {
  const { connection, cache, file, signal } = download;
  const path = cache.partial(file.checksum);
  // A link would lead the bytes to another file.
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) rmSync(path, { recursive: true });
  const attempt = (): Promise<void> => fetchRest(download, path);
  // Bytes from an earlier run may be wrong: from another mirror, or left by a crash.
  for (let isResumed = sizeOf(path) > 0; ; isResumed = false) {
    try {
      await insist(connection, cache.name, signal, attempt, () => sizeOf(path));
    } finally {
      if (sizeOf(path) === 0 && file.size > 0) rmSync(path);
    }
    if ((await blobChecksum(path, file.checksum.length, signal)) === file.checksum) break;
    rmSync(path);
    if (!isResumed) throw wrongBytes(download);
  }
  // If the lock failed, another process may have finished it.
  if (cache.has(file)) rmSync(path, { force: true });
  else renameSync(path, cache.blob(file.checksum));
}

/** Requests what is missing over one connection and appends what arrives. Throws Failure unless that completes it. */
async function fetchRest(download: BlobDownload, path: string): Promise<void> {
  const { connection, cache, commit, file, signal, onBytes } = download;
  const handle = await open(path, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0));
  try {
    let { size: position } = await handle.stat();
    const restart = async (): Promise<void> => {
      await handle.truncate(0);
      position = 0;
    };
    if (position > file.size) await restart();
    onBytes(position);
    const from = position;
    const check = async (response: Response): Promise<void> => {
      const { status, ok } = response;
      if (!ok && status !== 416) throw Failure.ofAnswer(response, connection);
      if (status === 206 && startOf(response) !== from) throw new Failure('a part other than requested');
      // The host does not support ranges.
      if (status !== 206 && from > 0) await restart();
      if (!ok) throw new Failure('no such part');
    };
    const url = urlOf(connection, cache.name, commit, file.name);
    const headers: Record<string, string> = from > 0 ? { range: `bytes=${String(from)}-` } : {};
    if (from < file.size)
      for await (const chunk of exchange(connection, { url, headers, signal }, check)) {
        if (position + chunk.length > file.size) {
          await restart();
          // Retrying would not help: the Hub has listed another size.
          throw Failure.refused('more bytes than listed');
        }
        // An explicit position: if two processes write by mistake, they write the same bytes to the same place.
        for (let done = 0; done < chunk.length;)
          done += (await handle.write(chunk, done, chunk.length - done, position + done)).bytesWritten;
        position += chunk.length;
        onBytes(position);
      }
    if (position < file.size) throw new Failure('connection ended early');
    // Survives a power cut before it gets its name.
    await handle.sync();
  } finally {
    await handle.close();
  }
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
