// Bytes on the socket of the shared server. Whatever one window sends, another one is answered, and no request is
// answered twice.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { settle } from '../../../../server/completion/session/settle';
import { WrongValue } from '../../../../server/rules/userError';
import { LanguageServer } from '../../../../server/lsp/languageServer';
import { Method } from '../../../../server/protocol/messages';
import { SharedServer } from '../../../../server/socket/sharedServer';
import { GREETING } from '../../../../server/socket/socketName';
import { framesOf } from '../../../lsp/serverProcess';
import { poolOf } from '../../../support/poolOf';
import { SUGGESTIONS_ONLY } from '../../../support/suggestionsOnly';
import { BareClient } from '../bareClient';
import { cutAt, exchanged } from '../exchange';
import { fuzzKind } from '../kind';
import { damaged, jsonText, mixed, oddText, spoilt, type Json } from '../oddValues';

/** Time without a window until the server ends; long enough for the first window to connect on a busy machine. */
const LINGER_MS = 30_000;
const START = { processId: null, rootUri: null, capabilities: {} };
const FIELDS: readonly object[] = [
  { id: 1, method: 'initialize', params: START },
  { method: 'initialized', params: {} },
  { id: 2, method: Method.history },
  { id: 'three', method: Method.history },
  { method: Method.settings, params: { debounceMs: 0 } },
  { method: '$/cancelRequest', params: { id: 2 } },
  { id: 4, result: null },
  { id: 5, method: 'shutdown' },
  { method: 'exit' },
];
const MESSAGES = FIELDS.map((fields): Json => ({ jsonrpc: '2.0', ...fields }));
const LENGTHS = '-1,0,1,99999999999,x,,1e3, 5,NaN'.split(',');
const LINES = 'Content-Type: application/vscode-jsonrpc; charset=utf-16,X,: ,content-length: 2'.split(',');

interface Bytes {
  /** Pairs of header and body. */
  readonly frames: readonly (readonly [header: string, body: string])[];
  readonly cuts: readonly number[];
  /** Turns of the event loop before the connection is closed: some, for immediate answers, or none. */
  readonly turns: number;
}

const body = fc.oneof(
  ...MESSAGES.map((message) =>
    mixed([2, fc.constant(jsonText(message))], [1, spoilt(message).map(jsonText)]),
  ),
  damaged(jsonText(MESSAGES[2] ?? null)),
);
const frame = body.chain((text) => {
  const validHeader = `Content-Length: ${String(Buffer.byteLength(text))}\r\n\r\n`;
  const header = mixed(
    [6, fc.constant(validHeader)],
    [1, fc.constantFrom(...LENGTHS).map((length) => `Content-Length: ${length}\r\n\r\n`)],
    [1, fc.constantFrom(...LINES).map((line) => `${line}\r\n${validHeader}`)],
    [1, fc.constantFrom('\r\n\r\n', '\n\n', '', validHeader.replaceAll('\r', ''))],
    [1, damaged(validHeader)],
    [1, oddText],
  );
  return fc.tuple(header, fc.constant(text));
});
const inputs: fc.Arbitrary<Bytes> = fc.record({
  frames: fc.array(frame, { maxLength: 5 }),
  cuts: fc.array(fc.nat(600), { maxLength: 3 }),
  turns: fc.constantFrom(0, 4),
});

export const socketFrames = fuzzKind({
  name: 'socket-frames',
  inputs,
  runs: 100,
  open: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fl-f-'));
    const name = join(folder, 'name');
    const load = (): Promise<never> =>
      Promise.reject(new WrongValue({ expected: 'a model', got: 'none', remedy: 'choose one' }));
    const pool = poolOf(load);
    const server = await SharedServer.start({
      name,
      id: 'fuzzed',
      lingerMs: LINGER_MS,
      serve: (connection) =>
        LanguageServer.start({
          ...SUGGESTIONS_ONLY,
          connection,
          pool,
          settle,
          pluggedIn: () => Promise.resolve(false),
        }),
    });
    assert.ok(server);
    const witness = await connectWindow(name);
    return {
      attempt: async (input) => {
        const bytes = Buffer.from(input.frames.flat().join(''));
        const answered = await exchanged(connect(name), cutAt(bytes, input.cuts), input.turns);
        assert.equal(answered.toString('latin1', 0, 1), GREETING);
        assertOnce(input, framesOf(answered.subarray(1)).flatMap(idOf));
        await witness.assertAnswered();
      },
      checkValid: async () => {
        const window = await connectWindow(name);
        await window.assertAnswered();
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

/** Returns the id of an answer as JSON; empty for a notification, or for an answer without a readable id. */
function idOf(message: unknown): string[] {
  const { id, method } = message as { id?: unknown; method?: unknown };
  return method !== undefined || id === undefined || id === null ? [] : [JSON.stringify(id)];
}

/** Asserts that no request is answered twice. An id can have been sent several times. */
function assertOnce({ frames }: Bytes, ids: readonly string[]): void {
  const requests = frames.flatMap(([, text]) => {
    try {
      return idOf({ ...(JSON.parse(text) as object), method: undefined });
    } catch {
      return [];
    }
  });
  const times = (list: readonly string[], id: string): number => list.filter((entry) => entry === id).length;
  for (const id of ids) assert.ok(times(ids, id) <= Math.max(1, times(requests, id)), JSON.stringify(ids));
}

async function connectWindow(name: string) {
  const socket = connect(name);
  const [greeting] = (await once(socket, 'data')) as [Buffer];
  assert.equal(greeting.toString(), GREETING);
  const client = new BareClient(socket, socket);
  await client.request('initialize', START);
  client.notify('initialized', {});
  return {
    /** Asserts that the server answers a request. */
    assertAnswered: async () => {
      client.takeAnswers();
      assert.deepEqual(await client.request(Method.history, null), []);
    },
    end: () => socket.destroy(),
  };
}
