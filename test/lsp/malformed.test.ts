// Whatever arrives, requests are answered and the server goes on. The fuzz test sends many more; stdio.test.ts goes below
// the level of messages.
import assert from 'node:assert/strict';
import type { Position, Message } from 'vscode-languageserver/node';
import type { EditorClient } from './editorClient';
import { STRAY_MESSAGES } from './strayMessages';
import { loading, ScriptedEngine } from './scriptedEngine';
import { serverInMemory } from './serverInMemory';

const COMPLETION = 'textDocument/inlineCompletion';

describe('a server that gets malformed messages', () => {
  it('goes on after messages that are none', async () => {
    const engine = new ScriptedEngine([['shared', ' + 1;\n']]);
    const client = serverInMemory(loading(engine));
    await client.start();
    for (const message of STRAY_MESSAGES) await client.writer.write(message as Message);
    await assertWorks(client, engine);
  });

  it('is not led astray by a document that is none', async () => {
    const engine = new ScriptedEngine([['shared', ' + 1;\n']]);
    const client = serverInMemory(loading(engine));
    await client.start();
    for (const text of [5, null, { length: 3 }, ['a']]) {
      const textDocument = { uri: 'file:///project/odd.ts', languageId: 'typescript', version: 1, text };
      await client.connection.sendNotification('textDocument/didOpen', { textDocument });
      assert.equal(
        await client.complete({ uri: textDocument.uri, position: { line: 0, character: 0 }, offset: 0 }),
        null,
      );
    }
    await assertWorks(client, engine);
  });

  it('gives null for parameters that lack something, and the log says what they should be', async () => {
    const client = serverInMemory(loading(new ScriptedEngine([['1;\n']])));
    await client.start();
    const { uri, position } = await client.open('a.ts', 'const a = ');
    const right = { textDocument: { uri }, position, context: { triggerKind: 1 } };
    for (const [name, wrong] of [
      ['textDocument', undefined],
      ['textDocument', { uri: 5 }],
      ['position', undefined],
      ['context', undefined],
      ['context', { triggerKind: 1, selectedCompletionInfo: { text: 'a' } }],
    ] as const) {
      const params = { ...right, [name]: wrong };
      assert.equal(await client.connection.sendRequest(COMPLETION, params), null);
    }
    const told = client.logs.filter((line) => line.startsWith('completion'));
    assert.equal(told.length, 5);
    await client.until(() => client.status?.wrongMessages === 5);
    for (const line of told)
      assert.match(line, /Expected a document, a position in whole numbers and a context/);
  });

  it('gives null for a position that is none, and the nearest place for one outside', async () => {
    const engine = new ScriptedEngine([['1;\n']]);
    const client = serverInMemory(loading(engine));
    await client.start();
    const { uri } = await client.open('a.ts', 'const a = ');
    const complete = (position: unknown) =>
      client.complete({ uri, position: position as Position, offset: 0 });
    for (const position of [
      null,
      {},
      5,
      { line: '0', character: 1 },
      { line: NaN, character: 0 },
      { line: 0.5 },
    ])
      assert.equal(await complete(position), null);
    assert.equal(engine.asked.length, 0);
    const end = { line: 0, character: 10 };
    for (const position of [
      { line: 0, character: 4e9 },
      { line: 4e9, character: 0 },
    ])
      assert.deepEqual((await complete(position))?.[0]?.range, { start: end, end });
  });
});

async function assertWorks(client: EditorClient, engine: ScriptedEngine): Promise<void> {
  await client.settings({ debounceMs: 0 });
  await client.history();
  await client.until(() => client.status?.state === 'ready');
  const place = await client.open('sound.ts', 'const sum = ');
  assert.deepEqual(await client.complete(place), [
    { insertText: 'shared + 1;', range: { start: place.position, end: place.position } },
  ]);
  assert.equal(engine.running, 0);
}
