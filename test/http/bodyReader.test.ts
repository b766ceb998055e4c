// Tests the limits of incomplete bodies, in time and in memory, and that complete bodies are still read.
import assert from 'node:assert/strict';
import { createServer, request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { BodyReader } from '../../server/http/bodyReader';
import { HttpError } from '../../server/http/httpError';
import { ManualClock } from '../lsp/manualClock';

const MAX_BYTES = 1e6;

/** Sends the first bytes of a body of MAX_BYTES bytes, and resolves with the status. */
type Send = (bytes: number) => Promise<number>;

describe('incomplete request bodies', () => {
  /** Calls `work` with a function that sends bodies to a server. It ends the request only after a complete body. */
  async function serving(reader: BodyReader, work: (send: Send) => Promise<void>): Promise<void> {
    const server = createServer((incoming, outgoing) => {
      void reader.read(incoming).then(
        (body) => outgoing.end(String(body.length)),
        (error: unknown) => {
          outgoing.statusCode = error instanceof HttpError ? error.status : 500;
          outgoing.end();
        },
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const open: ClientRequest[] = [];
    const send: Send = (bytes) =>
      new Promise((resolve) => {
        const headers = { 'content-length': MAX_BYTES };
        const upload = request({ port, method: 'POST', headers, agent: false }, (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        });
        upload.on('error', () => undefined);
        upload.write(Buffer.alloc(bytes));
        if (bytes === MAX_BYTES) upload.end();
        open.push(upload);
      });
    try {
      await work(send);
    } finally {
      for (const upload of open) upload.destroy();
      server.closeAllConnections();
      server.close();
    }
  }

  it('are dropped when together they exceed the limit of bytes, and complete ones are still read', async () => {
    // The time limit is too long to end any of them here.
    await serving(new BodyReader(MAX_BYTES, 3_600_000), async (send) => {
      const statuses: number[] = [];
      for (let i = 0; i < 20; i++) void send(MAX_BYTES - 1).then((status) => statuses.push(status));
      // The limit of all incomplete bodies is eight times MAX_BYTES.
      while (statuses.length < 12) await setTimeout(5);
      assert.deepEqual([...new Set(statuses)], [408]);
      assert.equal(await send(MAX_BYTES), 200);
    });
  });

  it('are dropped, the longest waiting first, when one more would exceed the limit', async () => {
    const reader = new BodyReader(MAX_BYTES, 3_600_000);
    const dropped: number[] = [];
    const uploads = Array.from({ length: 9 }, (_, i) => {
      const upload = Object.assign(new PassThrough(), { headers: {}, complete: false });
      reader.read(upload as unknown as IncomingMessage).catch(() => dropped.push(i));
      return upload;
    });
    const receive = async (index: number, bytes: number): Promise<void> => {
      uploads[index]?.write(Buffer.alloc(bytes));
      await setTimeout(2);
    };
    // The limit of all incomplete bodies is eight times MAX_BYTES.
    for (let i = 0; i < 8; i++) await receive(i, MAX_BYTES - 2);
    await receive(0, 1);
    assert.deepEqual(dropped, []);
    await receive(8, MAX_BYTES - 2);
    assert.deepEqual(dropped, [1]);
    for (const upload of uploads) upload.destroy();
  });

  it('are kept while they are small, whatever the size of others', async () => {
    await serving(new BodyReader(MAX_BYTES, 3_600_000), async (send) => {
      const small = send(1000);
      await setTimeout(20);
      const ended: number[] = [];
      for (let i = 0; i < 12; i++) void send(MAX_BYTES - 1).then((status) => ended.push(status));
      while (ended.length < 4) await setTimeout(5);
      assert.equal(await Promise.race([small, Promise.resolve('unanswered')]), 'unanswered');
    });
  });

  it('are dropped after a time limit', async () => {
    await serving(new BodyReader(MAX_BYTES, 50), async (send) => {
      assert.equal(await send(10), 408);
    });
  });

  it('are refused with the reason, and status 408 closes their connection', async () => {
    const clock = new ManualClock();
    const upload = (headers: object = {}) => Object.assign(new PassThrough(), { headers, complete: false });
    const reader = new BodyReader(MAX_BYTES);
    const refused = async (body: PassThrough, meanwhile: () => unknown): Promise<unknown[]> => {
      const error = reader.read(body as unknown as IncomingMessage).catch((reason: unknown) => reason);
      await meanwhile();
      const { status, message, details } = (await error) as HttpError;
      return [status, /^[^.]+/.exec(message)?.[0], details.headers?.['connection']];
    };
    const late = upload();
    let isOver = false;
    late.once('pause', () => (isOver = true));
    const timedOut = refused(late, async () => {
      await clock.pass(29_999);
      assert.equal(isOver, false);
      await clock.pass(1);
    });
    assert.deepEqual(await timedOut, [408, 'Timed out before the body was complete', 'close']);
    const broken = [408, 'The connection ended before the body was complete', 'close'];
    const ended = upload();
    assert.deepEqual(await refused(ended, () => ended.destroy()), broken);
    assert.deepEqual(await refused(ended, () => undefined), broken);
    const announced = upload({ 'content-length': String(MAX_BYTES + 1) });
    const tooLong = [413, 'The body is longer than 1000000 bytes', undefined];
    assert.deepEqual(await refused(announced, () => undefined), tooLong);
    assert.ok(
      [late, announced].every((body) => body.isPaused()),
      'the rest is not read into memory',
    );
  });
});
