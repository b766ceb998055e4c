// What has arrived of a blob: a file that grows at its end, and the checksum of all that is in it.
// Knows no network.
import type { Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { checksumLike, hashFile } from './checksum';
import type { RepositoryFile } from './repository';

export class PartialBlob {
  #hash: Hash;
  #position: number;

  private constructor(
    readonly file: RepositoryFile,
    private readonly handle: FileHandle,
    position: number,
    hash: Hash,
  ) {
    this.#position = position;
    this.#hash = hash;
  }

  /** Reads what is there already, and starts anew when that is too much. */
  static async open(path: string, file: RepositoryFile, signal: AbortSignal): Promise<PartialBlob> {
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT);
    try {
      const { size } = await handle.stat();
      const position = size > file.size ? 0 : size;
      if (position !== size) await handle.truncate(0);
      const hash = checksumLike(file.checksum, file.size);
      await hashFile(hash, path, position, signal);
      return new PartialBlob(file, handle, position, hash);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Bytes that are there. */
  get position(): number {
    return this.#position;
  }

  /** At the end. Gives back false, and writes nothing, for more than the file has. */
  async append(bytes: Uint8Array): Promise<boolean> {
    if (this.#position + bytes.length > this.file.size) return false;
    for (let done = 0; done < bytes.length;) {
      const rest = bytes.subarray(done);
      // A position of its own: two writers by mistake write the same bytes to the same place.
      const { bytesWritten } = await this.handle.write(rest, 0, rest.length, this.#position);
      this.#hash.update(rest.subarray(0, bytesWritten));
      this.#position += bytesWritten;
      done += bytesWritten;
    }
    return true;
  }

  async restart(): Promise<void> {
    await this.handle.truncate(0);
    this.#position = 0;
    this.#hash = checksumLike(this.file.checksum, this.file.size);
  }

  /** Whether all bytes are there and right; then they are on the disk too, and survive a power cut. */
  async isWhole(): Promise<boolean> {
    if (this.#position !== this.file.size || this.#hash.copy().digest('hex') !== this.file.checksum)
      return false;
    await this.handle.sync();
    return true;
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}
