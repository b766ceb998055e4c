// One blob from the hub into the cache: goes on where it stopped, survives broken connections, and gets its name only
// when its bytes have its checksum. Knows not which file of which model it is for.
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { InputError } from '../inputError';
import { lockBlob } from './lockBlob';
import type { HubConnection } from './connection';
import { explain } from './failure';
import { PartialBlob } from './partialBlob';
import { Patience } from './patience';
import type { RepositoryFile } from './repository';
import { sizeOf, type RepositoryCache } from './repositoryCache';
import { streamInto } from './streamInto';

export interface BlobDownload {
  readonly connection: HubConnection;
  readonly cache: RepositoryCache;
  readonly commit: string;
  readonly file: RepositoryFile;
  readonly signal: AbortSignal;
  /** Bytes that this blob has now, whoever got them. */
  readonly onBytes: (bytes: number) => void;
}

/** Whether a blob is there that can be the file. What it holds was checked when it came. */
export function hasBlob(cache: RepositoryCache, { checksum, size }: RepositoryFile): boolean {
  return sizeOf(cache.blob(checksum)) === size;
}

/** Rejects with the reason of the signal when it aborts; what has arrived stays for the next time. */
export async function downloadBlob(download: BlobDownload): Promise<void> {
  const { connection, cache, file, signal, onBytes } = download;
  const isDone = (): boolean => hasBlob(cache, file);
  mkdirSync(cache.blobs, { recursive: true });
  const release = await lockBlob(cache.lock(file.checksum), { wait: connection.wait, signal, isDone });
  signal.throwIfAborted();
  try {
    if (release !== undefined && !isDone()) await finish(download);
  } finally {
    release?.();
  }
  onBytes(file.size);
}

async function finish(download: BlobDownload): Promise<void> {
  const { cache, file, signal } = download;
  const path = cache.partial(file.checksum);
  const blob = await PartialBlob.open(path, file, signal);
  // Bytes from an earlier run may be wrong: those of another mirror, or what was left of a crash.
  let mayBeWrong = blob.position > 0;
  try {
    for (;;) {
      await fill(download, blob);
      if (await blob.isWhole()) break;
      await blob.restart();
      if (!mayBeWrong) throw wrongBytes(download);
      mayBeWrong = false;
    }
  } finally {
    await blob.close();
    if (blob.position === 0) rmSync(path, { force: true });
  }
  publish(path, cache.blob(file.checksum), () => hasBlob(cache, file));
}

/** Until no byte is missing, over as many connections as that takes. */
async function fill(download: BlobDownload, blob: PartialBlob): Promise<void> {
  const { connection, cache, commit, file, signal, onBytes } = download;
  const url = `${connection.endpoint}/${cache.name}/resolve/${commit}/${encodeURIComponent(file.name)}`;
  const patience = new Patience(connection.wait);
  onBytes(blob.position);
  while (blob.position < file.size) {
    const before = blob.position;
    const failure = await streamInto(blob, { connection, url, signal, onBytes });
    signal.throwIfAborted();
    if (failure === undefined) continue;
    if (blob.position > before) patience.renew();
    if (!(await patience.lasts(failure, signal))) throw explain(connection, cache.name, failure);
    signal.throwIfAborted();
  }
}

function publish(path: string, blob: string, isThere: () => boolean): void {
  try {
    mkdirSync(dirname(blob), { recursive: true });
    renameSync(path, blob);
  } catch (error) {
    // On Windows a file that is open cannot be replaced; another process has finished it.
    if (!isThere()) throw error;
    rmSync(path, { force: true });
  }
}

function wrongBytes({ cache, file }: BlobDownload): InputError {
  return new InputError({
    expected: `${file.name} of ${cache.name} with the checksum ${file.checksum}`,
    got: 'other bytes, which were thrown away',
    remedy: 'try again, or use another network or mirror (HF_ENDPOINT)',
  });
}
