// Limits the size of Xet chunks. The library trusts the decompressed length in the header of a chunk, so a few bytes
// could otherwise make it allocate gigabytes.
import { HubFailure } from './hubFailure';

/** Maximum decompressed bytes of a chunk: twice the 128 KiB of the largest chunk that Xet writes. */
const MAX_CHUNK_BYTES = 256 * 1024;
/** Size of a chunk header: version, compressed length (3 bytes), scheme, decompressed length (3 bytes). */
const HEADER_BYTES = 8;
/** Maximum bytes of the boundary and headers before a part of a response with several ranges. */
const MAX_PART_HEADER_BYTES = 4096;
/** Matches the boundary and headers before a part; captures the boundary, and the first and last byte of its range. */
const PART_HEADER =
  /^(?:\r\n)?--([^\r\n]+)\r\n(?:[^\r\n]+\r\n)*?content-range: *bytes (\d+)-(\d+)\/[^\r\n]+\r\n(?:[^\r\n]+\r\n)*\r\n/i;
const PART_HEADER_END = '\r\n\r\n';

/** Parses one response of a Xet store as it arrives: the chunks of one range, or of several in a multipart body. */
export class ChunkLimit {
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of the current chunk that have not arrived yet. */
  #bytesToSkip = 0;
  /** Bytes of the current part that are left. */
  #partBytes: number;

  /** `boundary` separates the parts of a multipart body; undefined for the chunks of one range. */
  constructor(private readonly boundary?: string) {
    this.#partBytes = boundary === undefined ? Infinity : 0;
  }

  /** Checks the next bytes. Throws HubFailure for a chunk above the limit, and for parts of an unexpected form. */
  read(arrived: Uint8Array): void {
    const bytes = Buffer.from(arrived.buffer, arrived.byteOffset, arrived.length);
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (this.#step());
  }

  /** Consumes a chunk header, chunk bytes or a part header; returns whether another step is possible. */
  #step(): boolean {
    if (this.#bytesToSkip > 0) return this.#skipChunk();
    if (this.#partBytes <= 0) return this.#readPartHeader();
    if (this.#rest.length < HEADER_BYTES) return false;
    const compressed = this.#rest.readUIntLE(1, 3);
    const length = this.#rest.readUIntLE(5, 3);
    if (length > MAX_CHUNK_BYTES) throw new HubFailure('a chunk that is too large');
    this.#bytesToSkip = HEADER_BYTES + compressed;
    return true;
  }

  #skipChunk(): boolean {
    const skipped = Math.min(this.#bytesToSkip, this.#rest.length);
    this.#rest = this.#rest.subarray(skipped);
    this.#bytesToSkip -= skipped;
    this.#partBytes -= skipped;
    return this.#rest.length > 0;
  }

  #readPartHeader(): boolean {
    const text = this.#rest.subarray(0, MAX_PART_HEADER_BYTES).toString('latin1');
    // The closing boundary ends the body. A boundary can itself contain two hyphens, so the known one is compared.
    if (text.replace(/^\r\n/, '').startsWith(`--${this.boundary ?? ''}--`)) return false;
    const found = PART_HEADER.exec(text);
    // With a boundary other than the library's, this class would check other bytes than the library unpacks.
    if (found && found[1] !== this.boundary) throw new HubFailure('parts of another form');
    if (found === null) {
      if (text.includes(PART_HEADER_END) || text.length === MAX_PART_HEADER_BYTES)
        throw new HubFailure('parts of another form');
      return false;
    }
    this.#partBytes = Number(found[3]) - Number(found[2]) + 1;
    this.#rest = this.#rest.subarray(found[0].length);
    return true;
  }
}
