// Tests `flashline lsp` with the embedded model as any editor runs it: a process, its standard streams, and a client
// that knows only the protocol.
import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-languageserver/node';
import type { EditorClient } from './editorClient';
import { STRAY_MESSAGES } from './strayMessages';
import { framesOf, ServerProcess } from './serverProcess';

const ADD = 'export function add(a: number, b: number): number {\n  return a +║;\n}\n';

describe('flashline lsp', () => {
  let server: ServerProcess;
  let client: EditorClient;
  before(async () => {
    server = ServerProcess.overStdio();
    client = server.client;
    const { capabilities } = await client.initialize({ debounceMs: 0 }, process.pid);
    assert.equal(capabilities.inlineCompletionProvider, true);
    await client.until(() => client.status?.state === 'ready');
  });
  after(() => server.kill());

  it('completes', async () => {
    const place = await client.open('add.ts', ADD);
    const items = await client.complete(place);
    const [{ keepProbability, ...item } = {}] = items as unknown as readonly Record<string, unknown>[];
    assert.deepEqual(item, { insertText: ' b', range: { start: place.position, end: place.position } });
    assert.equal(typeof keepProbability, 'number');
  });

  it('streams generated code, answers meanwhile, and stops on request', async () => {
    const { uri, offset } = await client.open('months.ts', "export const MONTHS = [\n  'January',\n║");
    const request = { uri, instruction: 'the other months', start: offset, end: offset };
    const source = new CancellationTokenSource();
    const deltas: string[] = [];
    const generated = client.generate(request, { token: source.token, onDelta: (text) => deltas.push(text) });
    await client.until(() => deltas.length > 0);
    for (let i = 0; i < 5; i++) await client.history();
    assert.equal(client.status?.state, 'generating');
    source.cancel();
    const { text, finishReason } = await generated;
    assert.equal(finishReason, 'cancelled');
    assert.equal(deltas.join(''), text);
    assert.notEqual(text, '');
  });

  it('survives malformed messages and false frame lengths', async () => {
    await client.settings({ debounceMs: 0, maxGenerateTokens: 8, maxSuggestionTokens: 8 });
    for (const message of STRAY_MESSAGES) server.child.stdin?.write(frame(JSON.stringify(message)));
    for (const body of ['{', '{"jsonrpc":', 'null null', '\0\0', '"\\ud800"', '{"a":1}}', ''])
      server.child.stdin?.write(frame(body));
    await client.history();
    // After a bad header the reader waits for more bytes, which an editor sends sooner or later.
    const typing = setInterval(
      () => server.child.stdin?.write(frame('{"jsonrpc":"2.0","method":"$/typing"}')),
      20,
    );
    const headers = [
      'Content-Length: many',
      'Content-Type: text',
      'no header at all',
      ': 5',
      'Content-Length:',
    ];
    for (const header of headers) {
      server.child.stdin?.write(`${header}\r\n\r\n`);
      await client.history();
    }
    // Too short, so that its end is read as another header.
    server.child.stdin?.write(`Content-Length: 5\r\n\r\n{"jsonrpc":"2.0"}\r\n\r\n`);
    await client.history();
    clearInterval(typing);
    assert.equal(await client.text(await client.open('add2.ts', ADD)), ' b');
    await client.until(() => client.status?.state === 'ready');
  });

  it('writes only messages to stdout, and exits with 0 after a shutdown', async () => {
    await client.connection.sendRequest('shutdown');
    await client.connection.sendNotification('exit');
    assert.equal(await server.ended(), 0);
    assert.ok(framesOf(server.output).length > 10);
    assert.equal(server.stderr, '');
  });
});

function frame(body: string): string {
  return `Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`;
}
