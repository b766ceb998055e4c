// A Xet store on this machine: keeps files as chunks in xorbs, lists the chunks of a file, and sends them to clients
// with a token from the hub. Follows https://huggingface.co/docs/xet, with smaller chunks.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HubServer, refuse, sendBytes, sha256, type Intercept, type XetStore } from './hubServer';

export const XET_TOKEN = 'a-token-of-the-store';

const CHUNK_BYTES = 10_000;
const CHUNKS_PER_XORB = 8;
const BOUNDARY = 'between-the-parts';

interface Range {
  /** First index of the range; `end` is not part of it. */
  readonly start: number;
  readonly end: number;
}

/** Chunks of a file that are next to each other in a xorb. */
interface Run {
  readonly xorb: Xorb;
  readonly chunks: Range;
  readonly file: Range;
}

export class XetServer implements XetStore {
  /** Handles a request in place of the store, as a faulty one does; returns false to leave it to the store. */
  fault: Intercept = () => false;
  readonly #runs = new Map<string, readonly Run[]>();
  readonly #xorbs = new Map<string, Xorb>();

  readonly url: string;

  private constructor(readonly server: HubServer) {
    this.url = server.url;
    server.intercept = (request, response) =>
      this.fault(request, response) || this.#answer(request, response);
  }

  static async start(): Promise<XetServer> {
    return new XetServer(await HubServer.start({}));
  }

  /** Returns a token that is valid for an hour. */
  readToken(): object {
    return { accessToken: XET_TOKEN, casUrl: this.url, exp: Math.floor(Date.now() / 1000) + 3600 };
  }

  /** Stores a file and returns its hash. */
  add(bytes: Buffer): string {
    const hash = sha256(`xet of ${sha256(bytes)}`);
    if (!this.#runs.has(hash)) this.#runs.set(hash, [...this.#store(bytes)]);
    return hash;
  }

  /**
   * Sets the response to requests with `part` in their path. `fault` gets their count, from 1, and returns false for
   * the usual response.
   */
  fail(part: string, fault: (response: ServerResponse, count: number) => unknown): void {
    let count = 0;
    this.fault = ({ url = '' }, response) => url.includes(part) && fault(response, (count += 1)) !== false;
  }

  /** Stores a file in xorbs, and returns its runs of chunks. */
  *#store(bytes: Buffer): Generator<Run> {
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES * CHUNKS_PER_XORB) {
      const end = Math.min(bytes.length, start + CHUNK_BYTES * CHUNKS_PER_XORB);
      const xorb = new Xorb();
      // A chunk of another file separates the chunks of this one, so that the client requests two ranges together.
      const gap = start % (2 * CHUNK_BYTES * CHUNKS_PER_XORB) === 0 ? start + 2 * CHUNK_BYTES : Infinity;
      let run = { start, chunks: 0 };
      for (let at = start; at < end; at += CHUNK_BYTES) {
        if (at === gap) {
          yield {
            xorb,
            chunks: { start: run.chunks, end: xorb.length },
            file: { start: run.start, end: at },
          };
          xorb.add(Buffer.from('a chunk of another file'));
          run = { start: at, chunks: xorb.length };
        }
        xorb.add(bytes.subarray(at, Math.min(end, at + CHUNK_BYTES)));
      }
      this.#xorbs.set(xorb.hash, xorb);
      yield { xorb, chunks: { start: run.chunks, end: xorb.length }, file: { start: run.start, end } };
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): true {
    const [, kind, hash = ''] = /^\/(v2\/reconstructions|xorbs)\/(\w+)/.exec(request.url ?? '') ?? [];
    const [runs, xorb] = [this.#runs.get(hash), this.#xorbs.get(hash)];
    if (kind !== 'xorbs' && request.headers.authorization !== `Bearer ${XET_TOKEN}`) refuse(response, 401);
    else if (kind !== 'xorbs' && runs) this.#reconstruct(request, response, runs);
    else if (kind === 'xorbs' && xorb) sendRanges(request, response, xorb.bytes);
    else refuse(response, 404);
    return true;
  }

  #reconstruct(request: IncomingMessage, response: ServerResponse, runs: readonly Run[]): void {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const requestedRange = { start: Number(from ?? 0), end: Number(to ?? Infinity) + 1 };
    const requestedRuns = runs.flatMap((run) => cutTo(run, requestedRange));
    const [first] = requestedRuns;
    const xorbs: Record<string, object[]> = {};
    for (const { xorb } of requestedRuns)
      xorbs[xorb.hash] ??= [
        {
          url: `${this.server.url}/xorbs/${xorb.hash}?signature=s3cret`,
          ranges: requestedRuns
            .filter((run) => run.xorb === xorb)
            .map(({ chunks }) => xorb.signedRange(chunks)),
        },
      ];
    const answer = {
      offset_into_first_range: first ? requestedRange.start - first.file.start : 0,
      terms: requestedRuns.map(({ xorb, chunks, file }) => ({
        hash: xorb.hash,
        unpacked_length: file.end - file.start,
        range: chunks,
      })),
      xorbs,
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  }
}

class Xorb {
  readonly #chunks: Buffer[] = [];

  /**
   * Adds a chunk, with the three compression schemes in turn: none, LZ4, and LZ4 of bytes grouped by their position in
   * a word.
   */
  add(bytes: Buffer): void {
    const scheme = this.#chunks.length % 3;
    const data = [bytes, lz4Frame(bytes), lz4Frame(grouped(bytes))][scheme] ?? bytes;
    this.#chunks.push(Buffer.concat([chunkHeader(data.length, scheme, bytes.length), data]));
  }

  get length(): number {
    return this.#chunks.length;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get hash(): string {
    return sha256(this.bytes);
  }

  signedRange(chunks: Range): object {
    const offset = (count: number): number =>
      this.#chunks.slice(0, count).reduce((sum, { length }) => sum + length, 0);
    return { chunks, bytes: { start: offset(chunks.start), end: offset(chunks.end) - 1 } };
  }
}

/** Returns the part of a run whose chunks have bytes of a range. */
function cutTo({ xorb, chunks, file }: Run, { start, end }: Range): Run[] {
  if (file.end <= start || file.start >= end) return [];
  const first = Math.max(0, Math.floor((start - file.start) / CHUNK_BYTES));
  const last = Math.min(chunks.end - chunks.start, Math.ceil((end - file.start) / CHUNK_BYTES));
  return [
    {
      xorb,
      chunks: { start: chunks.start + first, end: chunks.start + last },
      file: {
        start: file.start + first * CHUNK_BYTES,
        end: Math.min(file.end, file.start + last * CHUNK_BYTES),
      },
    },
  ];
}

/** Creates a chunk header: version, compressed length, compression scheme, length. */
export function chunkHeader(compressed: number, scheme: number, length: number): Buffer {
  const header = Buffer.alloc(8);
  header.writeUIntLE(compressed, 1, 3);
  header.writeUInt8(scheme, 4);
  header.writeUIntLE(length, 5, 3);
  return header;
}

/** Groups bytes by their position in a word of four. */
function grouped(bytes: Buffer): Buffer {
  const groups = [0, 1, 2, 3].map((position) => bytes.filter((_, i) => i % 4 === position));
  return Buffer.concat(groups);
}

/** Creates an LZ4 frame with one block of up to 64 KiB, without a checksum. */
export function lz4Frame(bytes: Buffer): Buffer {
  const block = lz4Block(bytes);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(block.length);
  // Magic number, flags, largest block size and checksum of the header.
  const header = Buffer.from('04224d18604082', 'hex');
  return Buffer.concat([header, size, block, Buffer.alloc(4)]);
}

/** Creates a block of literals only, which is valid for any bytes. */
function lz4Block(bytes: Buffer): Buffer {
  const rest = bytes.length < 15 ? [] : lengthBytes(bytes.length - 15);
  return Buffer.concat([Buffer.from([Math.min(15, bytes.length) << 4, ...rest]), bytes]);
}

/** Returns the rest of a length as LZ4 continues it: bytes of 255 and a smaller one. */
function lengthBytes(length: number): number[] {
  return [...Array.from({ length: Math.floor(length / 255) }, () => 255), length % 255];
}

/** Sends one range, or several as the parts of one body. */
function sendRanges(request: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
  const ranges = [...(request.headers.range ?? '').matchAll(/(\d+)-(\d+)/g)].map(([, start, end]) => ({
    start: Number(start),
    end: Number(end) + 1,
  }));
  if (ranges.length < 2) return sendBytes(request, response, bytes);
  const parts = ranges.flatMap(({ start, end }) => [
    `\r\n--${BOUNDARY}\r\ncontent-range: bytes ${String(start)}-${String(end - 1)}/${String(bytes.length)}\r\n\r\n`,
    bytes.subarray(start, end),
  ]);
  response.writeHead(206, { 'content-type': `multipart/byteranges; boundary=${BOUNDARY}` });
  for (const part of parts) response.write(part);
  response.end(`\r\n--${BOUNDARY}--\r\n`);
}
