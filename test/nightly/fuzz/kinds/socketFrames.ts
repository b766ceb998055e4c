// Bytes on the socket of the server that windows share. Whatever one window sends, another one is answered, and each
// request that arrives whole is answered once.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { settle } from '../../../../server/completion/session/suggest';
import { InputError } from '../../../../server/rules/inputError';
import { ModelPool } from '../../../../server/hosting/modelPool';
import { startServer } from '../../../../server/lsp/server';
import { Method } from '../../../../server/protocol/messages';
import { SharedServer } from '../../../../server/socket/sharedServer';
import { framesOf } from '../../../lsp/serverProcess';
import { fuzzKind } from '../kind';
import { damaged, jsonText, oddText, spoilt, type Json } from '../oddValues';

const LINGER_MS = 50;
const MESSAGES: readonly Json[] = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { processId: null, rootUri: null, capabilities: {} },
  },
  { jsonrpc: '2.0', method: 'initialized', params: {} },
  { jsonrpc: '2.0', id: 2, method: Method.history },
  { jsonrpc: '2.0', id: 'three', method: Method.history },
  { jsonrpc: '2.0', method: Method.settings, params: { debounceMs: 0 } },
  { jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 2 } },
  { jsonrpc: '2.0', id: 4, result: null },
  { jsonrpc: '2.0', id: 5, method: 'shutdown' },
  { jsonrpc: '2.0', method: 'exit' },
];

interface Frame {
  readonly header: string;
  readonly body: string;
}

const body = fc.oneof(
  ...MESSAGES.map((message) =>
    fc.oneof(
      { weight: 2, arbitrary: fc.constant(jsonText(message)) },
      { weight: 1, arbitrary: spoilt(message).map(jsonText) },
    ),
  ),
  damaged(jsonText(MESSAGES[2] ?? null)),
);
const frames: fc.Arbitrary<Frame> = body.chain((text) => {
  const right = `Content-Length: ${String(Buffer.byteLength(text))}\r\n\r\n`;
  const header = fc.oneof(
    { weight: 6, arbitrary: fc.constant(right) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('-1', '0', '1', '99999999999', 'x', '', '1e3', ' 5', 'NaN')
        .map((length) => `Content-Length: ${length}\r\n\r\n`),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(
          'Content-Type: application/vscode-jsonrpc; charset=utf-16',
          'X',
          ': ',
          'content-length: 2',
        )
        .map((line) => `${line}\r\n${right}`),
    },
    { weight: 1, arbitrary: fc.constantFrom('\r\n\r\n', '\n\n', '', right.replaceAll('\r', '')) },
    { weight: 1, arbitrary: damaged(right) },
    { weight: 1, arbitrary: oddText },
  );
  return header.map((line) => ({ header: line, body: text }));
});

interface Bytes {
  readonly frames: readonly Frame[];
  readonly cuts: readonly number[];
  readonly isCutOff: boolean;
}

const inputs: fc.Arbitrary<Bytes> = fc.record({
  frames: fc.array(frames, { maxLength: 5 }),
  cuts: fc.array(fc.nat(600), { maxLength: 3 }),
  isCutOff: fc.boolean(),
});

export const socketFrames = fuzzKind({
  name: 'socket-frames',
  inputs,
  counts: { test: 200, million: 5_000 },
  open: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fl-f-'));
    const name = join(folder, 'name');
    const load = (): Promise<never> =>
      Promise.reject(new InputError({ expected: 'a model', got: 'none', remedy: 'choose one' }));
    const pool = new ModelPool({ load });
    const server = await SharedServer.start({
      name,
      id: 'fuzzed',
      lingerMs: LINGER_MS,
      serve: (connection) =>
        startServer({ connection, pool, settle, pluggedIn: () => Promise.resolve(false) }),
    });
    assert.ok(server);
    const witness = await Witness.at(name);
    return {
      attempt: async (input) => {
        const answered = await exchanged(name, input);
        // The greeting is no message.
        assert.equal(answered[0], 10);
        const ids = framesOf(answered.subarray(1)).flatMap((message) => idOf(message));
        assertOnce(input, ids);
        await witness.asks();
      },
      sound: async () => {
        const window = await Witness.at(name);
        await window.asks();
        window.end();
      },
      close: async () => {
        witness.end();
        await server.end();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
});

function framed(text: string): Frame {
  return { header: `Content-Length: ${String(Buffer.byteLength(text))}\r\n\r\n`, body: text };
}

/** Of an answer, as JSON; none for a notification, or for an answer to what has no id that can be read. */
function idOf(message: unknown): string[] {
  const { id, method } = message as { id?: unknown; method?: unknown };
  return method !== undefined || id === undefined || id === null ? [] : [JSON.stringify(id)];
}

/** No request is answered twice. An id may have been sent more often than once. */
function assertOnce({ frames: sent }: Bytes, ids: readonly string[]): void {
  const asked = sent.flatMap(({ body: text }) => {
    try {
      return idOf({ ...(JSON.parse(text) as object), method: undefined });
    } catch {
      return [];
    }
  });
  const times = (list: readonly string[], id: string): number => list.filter((each) => each === id).length;
  for (const id of ids) assert.ok(times(ids, id) <= Math.max(1, times(asked, id)), JSON.stringify(ids));
}

/** Another window. */
class Witness {
  #answered = Buffer.alloc(0);
  #asked = 0;
  #arrived: () => void = () => undefined;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (data) => {
      this.#answered = Buffer.concat([this.#answered, data]);
      this.#arrived();
    });
  }

  static async at(name: string): Promise<Witness> {
    const witness = new Witness(connect(name));
    await witness.#gets(() => witness.#answered.length > 0);
    witness.#answered = witness.#answered.subarray(1);
    const [initialize = null, initialized = null] = MESSAGES;
    witness.#send({ ...(initialize as object), id: 0 });
    witness.#send(initialized);
    await witness.#gets(() => witness.#ids().includes('0'));
    return witness;
  }

  /** One request that is answered with what is known. */
  async asks(): Promise<void> {
    const id = (this.#asked += 1);
    this.#send({ jsonrpc: '2.0', id, method: Method.history });
    await this.#gets(() => this.#ids().includes(String(id)));
    const messages = framesOf(this.#answered) as { readonly id?: number; readonly result?: unknown }[];
    assert.deepEqual(messages.find((each) => each.id === id)?.result, []);
    this.#answered = Buffer.alloc(0);
  }

  end(): void {
    this.socket.destroy();
  }

  #send(message: unknown): void {
    const { header, body: text } = framed(JSON.stringify(message));
    this.socket.write(header + text);
  }

  #ids(): string[] {
    try {
      return framesOf(this.#answered).flatMap(idOf);
    } catch {
      return []; // A part of a message.
    }
  }

  async #gets(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => (this.#arrived = resolve));
  }
}

async function exchanged(name: string, { frames: sent, cuts, isCutOff }: Bytes): Promise<Buffer> {
  const bytes = Buffer.from(sent.map(({ header, body: text }) => header + text).join(''));
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  const answered: Buffer[] = [];
  const socket: Socket = connect(name);
  socket.on('data', (data) => void answered.push(data));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const [i, to] of places.slice(1).entries()) {
    await new Promise((resolve) => socket.write(bytes.subarray(places[i], to), resolve));
    await new Promise(setImmediate);
  }
  // For the answers that come at once.
  if (!isCutOff) for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
  socket.end();
  await closed;
  return Buffer.concat(answered);
}
