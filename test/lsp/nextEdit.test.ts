// flashline/nextEdit, as a client sends it: after a rename, in hidden files, with wrong parameters, without a model.
import assert from 'node:assert/strict';
import { Method } from '../../server/protocol';
import type { EditorClient } from './editorClient';
import { loading, ScriptedEngine } from './scriptedEngine';
import { serverInMemory } from './serverInMemory';

const RENAMED = {
  range: { start: { line: 0, character: 4 }, end: { line: 0, character: 8 } },
  text: 'width',
};

describe('flashline/nextEdit', () => {
  let client: EditorClient;
  beforeEach(async () => {
    client = serverInMemory(loading(new ScriptedEngine([])));
    await client.start();
  });

  it('is answered with a text edit, and with null where nothing was edited', async () => {
    const { uri } = await client.open('a.ts', 'let size = 1;\nuse(size);\n');
    assert.equal(await client.nextEdit(uri), null);
    await client.change(uri, 2, [RENAMED]);
    const range = { start: { line: 1, character: 4 }, end: { line: 1, character: 8 } };
    assert.deepEqual(await client.nextEdit(uri), { range, newText: 'width' });
    await client.change(uri, 3, [{ range, text: 'width' }]);
    assert.equal(await client.nextEdit(uri), null);
  });

  it('takes changes of one message as one act', async () => {
    const { uri } = await client.open('a.ts', 'let size = 1;\nuse(size);\nuse(size);\n');
    const other = {
      range: { start: { line: 1, character: 4 }, end: { line: 1, character: 8 } },
      text: 'width',
    };
    await client.change(uri, 2, [other, RENAMED]);
    assert.equal(await client.nextEdit(uri), null);
  });

  it('forgets edits when the whole text is replaced or the document closed', async () => {
    const { uri } = await client.open('a.ts', 'let size = 1;\nuse(size);\n');
    await client.change(uri, 2, [RENAMED]);
    await client.change(uri, 3, [{ text: 'let width = 1;\nuse(size);\n' }]);
    assert.equal(await client.nextEdit(uri), null);
    await client.close(uri);
    assert.equal(await client.nextEdit(uri), null);
  });

  it('says nothing in a file with secrets', async () => {
    const { uri } = await client.open('.env', 'let size = 1;\nuse(size);\n');
    await client.change(uri, 2, [RENAMED]);
    assert.equal(await client.nextEdit(uri), null);
  });

  it('is refused without a document', async () => {
    await assert.rejects(
      client.connection.sendRequest(Method.nextEdit, { uri: 1 }),
      /Expected uri, got something else/,
    );
  });
});
