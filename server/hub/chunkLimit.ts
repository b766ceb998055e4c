// Limits the chunks of Xet that the library decompresses. It trusts the length in the header of a chunk, so a few bytes
// could otherwise take up gigabytes of memory.
import { Failure } from './failure';

/** Twice the largest chunk that Xet writes, which are 128 KiB. */
const MOST_CHUNK_BYTES = 256 * 1024;
/** Version, compressed length (3 bytes), scheme, length (3 bytes). */
const HEADER_BYTES = 8;
/** A line of headers between the parts of an answer with several ranges. */
const MOST_PART_HEADER_BYTES = 4096;
const PART_START =
  /^\r?\n?--[^\r\n]+\r\n(?:[^\r\n]+\r\n)*?content-range: *bytes (\d+)-(\d+)\/[^\r\n]+\r\n(?:[^\r\n]+\r\n)*\r\n/i;
const PART_START_END = '\r\n\r\n';

/** Reads along with one answer of a store: the chunks of one range, or of several in the parts of a multipart body. */
export class ChunkLimit {
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of the current chunk that are still to come. */
  #bytesToSkip = 0;
  /** Bytes of the current part that are left. */
  #partBytes: number;

  constructor(isMultipart: boolean) {
    this.#partBytes = isMultipart ? 0 : Infinity;
  }

  /** Throws Failure for a chunk that no store of Xet writes. */
  read(arrived: Uint8Array): void {
    const bytes = Buffer.from(arrived.buffer, arrived.byteOffset, arrived.length);
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (this.#step());
  }

  /** Returns whether there can be a further one. */
  #step(): boolean {
    if (this.#bytesToSkip > 0) return this.#skip();
    if (this.#partBytes <= 0) return this.#partStart();
    if (this.#rest.length < HEADER_BYTES) return false;
    const [compressed, length] = [this.#rest.readUIntLE(1, 3), this.#rest.readUIntLE(5, 3)];
    if (length > MOST_CHUNK_BYTES) throw new Failure('a chunk that is too large');
    this.#bytesToSkip = HEADER_BYTES + compressed;
    return true;
  }

  #skip(): boolean {
    const skipped = Math.min(this.#bytesToSkip, this.#rest.length);
    this.#rest = this.#rest.subarray(skipped);
    this.#bytesToSkip -= skipped;
    this.#partBytes -= skipped;
    return this.#rest.length > 0;
  }

  #partStart(): boolean {
    const text = this.#rest.subarray(0, MOST_PART_HEADER_BYTES).toString('latin1');
    // The end of the body.
    if (/^\r?\n?--[^\r\n]+--/.test(text)) return false;
    const found = PART_START.exec(text);
    if (found === null) {
      if (text.includes(PART_START_END) || text.length === MOST_PART_HEADER_BYTES)
        throw new Failure('parts of another form');
      return false;
    }
    this.#partBytes = Number(found[2]) - Number(found[1]) + 1;
    this.#rest = this.#rest.subarray(found[0].length);
    return true;
  }
}
