// Tests that the server ends with its client, however that ends: no process is left, even during a decode. Also tests
// that it starts without the native addon.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ServerProcess } from './serverProcess';

/** Program that starts a server, sends it only `initialize`, and prints a line once the server has answered. */
const EDITOR = `
const server = require('node:child_process').spawn(process.execPath, ['dist/cli.js', 'lsp'], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const params = { processId: process.pid, rootUri: null, capabilities: {} };
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
server.stdin.write('Content-Length: ' + Buffer.byteLength(body) + '\\r\\n\\r\\n' + body);
server.stdout.once('data', () => console.log('running'));
`;

/** Starts a decode that runs until it is stopped. */
async function generating({ client }: ServerProcess): Promise<void> {
  const { uri } = await client.open('list.ts', 'const names: string[] = [];\n');
  const request = { uri, instruction: 'a function for each letter of the alphabet', start: 28, end: 28 };
  client.generate(request).catch(() => undefined);
  await client.until(() => client.status?.state === 'generating');
}

describe('the process of the language server', () => {
  it('ends when its input closes during a decode', async () => {
    const server = ServerProcess.overStdio();
    await server.client.initialize();
    await generating(server);
    server.child.stdin?.end();
    assert.equal(await server.ended(), 1, 'without a shutdown, the exit code is 1');
    assert.equal(server.stderr, '');
  });

  it('ends when its editor is killed', async () => {
    const editor = spawn(process.execPath, ['-e', EDITOR], { stdio: ['ignore', 'pipe', 'pipe'] });
    await once(editor.stdout, 'data');
    // The editor and its server both hold this pipe, so it closes when the last of them ends.
    const bothEnded = once(editor.stderr.resume(), 'close');
    editor.kill('SIGKILL');
    await bothEnded;
  });

  it('ends when the process of its client has ended, though its input stays open', async () => {
    const endedClient = spawn(process.execPath, ['-e', '']);
    await once(endedClient, 'close');
    const server = ServerProcess.overStdio();
    await server.client.initialize({ target: '/nowhere' }, endedClient.pid);
    assert.equal(await server.ended(), 1);
  });

  it('answers over a Node.js channel, and ends when that closes during a decode', async () => {
    const server = ServerProcess.overIpc();
    const { client } = server;
    await client.initialize({ debounceMs: 0 });
    const place = await client.open('add.ts', 'function add(a: number, b: number) {\n  return a +║;\n}\n');
    assert.equal(await client.text(place), ' b');
    assert.equal(server.output.length, 0);
    await generating(server);
    server.child.disconnect();
    assert.equal(await server.ended(), 1);
    assert.equal(server.stderr, '');
  });

  it('starts without the native addon and reports a remedy', async () => {
    const server = ServerProcess.overStdio(['--require', `${__dirname}/withoutAddon.js`]);
    const { client } = server;
    const { capabilities } = await client.initialize({}, process.pid);
    assert.equal(capabilities.inlineCompletionProvider, true);
    await client.until(() => client.status?.state === 'error');
    assert.match(
      client.status?.message ?? '',
      /^The native MLX addon .* does not load \(.* wrong ELF class.*\)\. Run "npm run setup"/,
    );
    assert.equal(await client.complete(await client.open('a.ts', 'const a = ')), null);
    await client.connection.sendRequest('shutdown');
    await client.connection.sendNotification('exit');
    assert.equal(await server.ended(), 0);
  });
});
