// Tests the size limit of Xet chunks: answers of a store can be cut anywhere, and a chunk that unpacks to more than the
// limit is refused.
import assert from 'node:assert/strict';
import { ChunkLimit } from '../../server/hub/chunkLimit';
import { HubFailure } from '../../server/hub/hubFailure';
import { chunkHeader, lz4Frame } from '../support/hub/xetServer';

const BOUNDARY = 'between';
const MAX_CHUNK_BYTES = 256 * 1024;

/** Creates a chunk that unpacks to `bytes` bytes; its header says `length`. */
function chunk(bytes: number, length = bytes): Buffer {
  const data = lz4Frame(Buffer.alloc(bytes, 'x'));
  return Buffer.concat([chunkHeader(data.length, 1, length), data]);
}

/** Creates a part of a response with several ranges: the bytes of a file at `from`. */
function part(bytes: Buffer, from: number, headers = '', boundary = BOUNDARY): Buffer {
  const range = `Content-Range: bytes ${String(from)}-${String(from + bytes.length - 1)}/1000000`;
  return Buffer.concat([Buffer.from(`\r\n--${boundary}\r\n${headers}${range}\r\n\r\n`), bytes]);
}

const END = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);

describe('the size limit of Xet chunks', () => {
  const read = (isMultipart: boolean, ...pieces: readonly Uint8Array[]): void => {
    const limit = new ChunkLimit(isMultipart ? BOUNDARY : undefined);
    for (const piece of pieces) limit.read(piece);
  };
  const answers = [
    { isMultipart: false, body: Buffer.concat([chunk(300), chunk(5), chunk(40, MAX_CHUNK_BYTES)]) },
    {
      isMultipart: true,
      body: Buffer.concat([
        part(Buffer.concat([chunk(200), chunk(7)]), 0, 'Content-Type: application/octet-stream\r\n'),
        part(chunk(90), 5_000),
        END,
      ]),
    },
  ];

  it('accepts answers of one or several ranges, wherever they are cut', () => {
    for (const { isMultipart, body } of answers) {
      for (let at = 0; at <= body.length; at += 1) read(isMultipart, body.subarray(0, at), body.subarray(at));
      read(isMultipart, ...Array.from(body, (byte) => Uint8Array.of(byte)));
    }
  });

  it('refuses a chunk that unpacks to more than the limit, anywhere', () => {
    const bomb = chunk(50, MAX_CHUNK_BYTES + 1);
    for (const before of [Buffer.alloc(0), chunk(300)]) {
      const body = Buffer.concat([before, bomb]);
      assert.throws(() => read(false, body), HubFailure);
      assert.throws(() => read(true, part(chunk(9), 0), part(body, 9_000)), HubFailure);
      assert.throws(() => read(false, ...Array.from(body, (byte) => Uint8Array.of(byte))), HubFailure);
    }
  });

  it('ends the parts only at the boundary of the answer', () => {
    const bomb = chunk(50, MAX_CHUNK_BYTES + 1);
    for (const boundary of ['----between', 'a--b', 'a--']) {
      const limit = new ChunkLimit(boundary);
      limit.read(part(chunk(9), 0, '', boundary));
      assert.throws(() => limit.read(part(bomb, 9_000, '', boundary)), HubFailure);
    }
    for (const start of ['--other\r\nContent-Range: bytes 0-9/10\r\n\r\n', '--other--\r\n\r\n', '\n'])
      assert.throws(() => read(true, Buffer.from(start), part(bomb, 0)), HubFailure);
  });

  it('refuses parts without a size and headers without an end', () => {
    assert.throws(() => read(true, Buffer.from(`--${BOUNDARY}\r\nX: y\r\n\r\n`), chunk(5)), HubFailure);
    assert.throws(() => read(true, Buffer.from(`--${BOUNDARY}\r\nX: ${'y'.repeat(5_000)}`)), HubFailure);
  });
});
