// Downloads one blob from the Hub into the cache: resumes where it stopped, survives broken connections, and names the
// blob only when its bytes match its checksum.
import { constants, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { lockFile, type HeldLock } from '../machine/lockFile';
import { UserError } from '../rules/userError';
import { blobChecksum } from './blobChecksum';
import { HubFailure } from './hubFailure';
import type { Hub } from './hub';
import { RemoteFile } from './remoteFile';
import { sizeOf, type RepositoryCache, type RepositoryFile } from './repositoryCache';
import { Retry } from './retry';

export class BlobDownload {
  readonly #remote: RemoteFile;
  readonly #partial: string;

  constructor(
    private readonly hub: Hub,
    private readonly cache: RepositoryCache,
    commit: string,
    private readonly file: RepositoryFile,
  ) {
    this.#remote = new RemoteFile(hub, cache.name, commit, file);
    this.#partial = cache.partial(file.checksum);
  }

  /**
   * Downloads the blob, or waits while another process does. Calls `onBytes` with the number of its bytes that have
   * arrived. Rejects with the signal's reason when it aborts; the next run resumes with the bytes on disk. Waits again
   * if another process has taken over the download while this one slept.
   */
  async run(signal: AbortSignal, onBytes: (bytes: number) => void = () => undefined): Promise<void> {
    const { cache, file } = this;
    const isDone = (): boolean => cache.has(file);
    mkdirSync(cache.blobs, { recursive: true });
    for (;;) {
      const lock = await lockFile(cache.lock(file.checksum), { wait: this.hub.wait, signal, isDone });
      try {
        signal.throwIfAborted();
        if (lock !== undefined && !isDone()) await this.#download(lock, signal, onBytes);
        onBytes(file.size);
        return;
      } catch (error) {
        if (lock === undefined || lock.isHeld) throw error;
      } finally {
        lock?.release();
      }
    }
  }

  async #download(lock: HeldLock, signal: AbortSignal, onBytes: (bytes: number) => void): Promise<void> {
    const { cache, file } = this;
    const path = this.#partial;
    // Remove a link: writing through it would change another file.
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) rmSync(path, { recursive: true });
    // Bytes of an earlier run can be wrong, after a crash or from another mirror, and so can bytes from Xet: retry
    // once, from the first byte and without Xet.
    for (;;) {
      const isResumed = sizeOf(path) > 0;
      try {
        const retry = new Retry(this.hub, cache.name, signal);
        await retry.run(
          () => this.#fetchRest(lock, signal, onBytes),
          () => sizeOf(path),
        );
      } finally {
        // An empty file has nothing to resume.
        if (sizeOf(path) === 0 && file.size > 0 && lock.isHeld) rmSync(path);
      }
      const checksum = await blobChecksum(path, file.checksum.length, signal);
      lock.requireHeld();
      if (checksum === file.checksum) break;
      rmSync(path);
      if (!isResumed && !this.#remote.isOverXet) throw this.#wrongBytes();
      this.#remote.usePlainHttp();
    }
    renameSync(path, cache.blob(file.checksum));
  }

  /** Appends the missing bytes as they arrive. Throws HubFailure if the blob is still incomplete afterwards. */
  async #fetchRest(lock: HeldLock, signal: AbortSignal, onBytes: (bytes: number) => void): Promise<void> {
    const { size } = this.file;
    lock.requireHeld();
    const handle = await open(
      this.#partial,
      constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0),
    );
    try {
      let { size: position } = await handle.stat();
      if (position > size) {
        await handle.truncate(0);
        position = 0;
      }
      const from = position;
      onBytes(position);
      // Xet decodes pieces of many megabytes at a time: counting decoded bytes only would make progress look stuck.
      let reached = position;
      const report = (received: number): void => {
        reached = Math.max(reached, position, Math.min(size, from + received));
        onBytes(reached);
      };
      if (from < size)
        for await (const chunk of this.#remote.chunks({ from, to: size }, signal, report)) {
          lock.requireHeld();
          if (position + chunk.length > size) {
            await handle.truncate(0);
            // A retry cannot help: the size differs from the one that the Hub listed.
            throw HubFailure.unusable('more bytes than listed');
          }
          await writeAt(handle, chunk, position);
          position += chunk.length;
          report(0);
        }
      if (position < size) throw new HubFailure('connection ended early');
      // Flush before the rename, so that a power cut cannot leave a named blob without its bytes.
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  #wrongBytes(): UserError {
    const { name, checksum } = this.file;
    const message = `The bytes of ${name} of ${this.cache.name} do not have its checksum ${checksum} and were discarded.`;
    return new UserError(`${message} Try again, or use another network or mirror.`, {
      command: 'HF_ENDPOINT',
    });
  }
}

/** Writes at an explicit position: two processes that write by mistake then write the same bytes to the same place. */
async function writeAt(handle: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < chunk.length;)
    done += (await handle.write(chunk, done, chunk.length - done, position + done)).bytesWritten;
}
