// Whatever arrives, requests are answered and the server goes on: 200 malformed messages and those that are none.
// The same over real pipes, below the level of messages, is in stdio.test.ts.
import assert from 'node:assert/strict';
import { Position, type InlineCompletionItem, type Message } from 'vscode-languageserver/node';
import type { EditorClient } from './editorClient';
import { malformedMessages, STRAY_MESSAGES, type MalformedMessage } from './malformedMessages';
import { loading, ScriptedEngine } from './scriptedEngine';
import { serverInMemory } from './serverInMemory';

const COMPLETION = 'textDocument/inlineCompletion';

/** The answer, or an error where that is the answer. */
async function answer(client: EditorClient, { method, params }: MalformedMessage): Promise<unknown> {
  const sent =
    params === undefined
      ? client.connection.sendRequest(method)
      : client.connection.sendRequest(method, params);
  return await sent.catch((error: unknown) => error);
}

function assertInDocument(items: readonly InlineCompletionItem[]): void {
  for (const { insertText, range } of items) {
    assert.equal(typeof insertText, 'string');
    assert.ok(Position.is(range?.start) && Position.is(range.end), JSON.stringify(range));
    assert.ok(
      range.start.line < range.end.line ||
        (range.start.line === range.end.line && range.start.character <= range.end.character),
      JSON.stringify(range),
    );
  }
}

describe('a server that gets malformed messages', () => {
  it('answers every request among 200 of them, and completes as before', async () => {
    const engine = new ScriptedEngine([['shared', ' + 1;\n']]);
    const client = serverInMemory(loading(engine));
    await client.start();
    const { uri } = await client.open('a.ts', 'const shared = ║;\nconst b = 2;\n');
    const messages = malformedMessages(20, 250, uri);
    for (const message of messages) {
      if (message.kind === 'request') {
        const result = await answer(client, message);
        if (message.method === COMPLETION && Array.isArray(result))
          assertInDocument(result as InlineCompletionItem[]);
      } else if (message.params === undefined) await client.connection.sendNotification(message.method);
      else await client.connection.sendNotification(message.method, message.params);
    }
    assert.ok(engine.asked.length > 5, 'those in between that are valid are answered');
    await assertWorks(client, engine);
  });

  it('goes on after messages that are none', async () => {
    const engine = new ScriptedEngine([['shared', ' + 1;\n']]);
    const client = serverInMemory(loading(engine));
    await client.start();
    for (const message of STRAY_MESSAGES) await client.writer.write(message as unknown as Message);
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
      assert.equal(await answer(client, { kind: 'request', method: COMPLETION, params: params }), null);
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
