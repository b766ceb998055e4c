// Tests open documents: their language, and whether they can be used in prompts, which depends on the whole text.
import assert from 'node:assert/strict';
import type { Connection } from 'vscode-languageserver/node';
import type { DocumentSnapshot } from '../../server/completion/prompt/context';
import { openDocuments } from '../../server/lsp/openDocuments';
import { relatedCode } from '../../server/lsp/relatedCode';

type Handler = (params: unknown) => void;

/** Creates open documents, and functions that send the messages of a client to them. */
function client() {
  const handlers = new Map<string, Handler>();
  const connection = new Proxy({} as Connection, {
    get: (_, name) => (handler: Handler) => {
      handlers.set(String(name), handler);
      return { dispose: () => undefined };
    },
  });
  const reported: { latest?: DocumentSnapshot; editedAt?: number | undefined } = {};
  openDocuments({
    changed: (latest, editedAt) => void Object.assign(reported, { latest, editedAt }),
    closed: () => undefined,
  }).listen(connection);
  const textDocument = { uri: 'file:///a.ts', languageId: 'typescript', version: 1 };
  return {
    open: (text: string, fields = {}) =>
      handlers.get('onDidOpenTextDocument')?.({ textDocument: { ...textDocument, ...fields, text } }),
    change: (contentChanges: readonly unknown[]) => {
      textDocument.version += 1;
      handlers.get('onDidChangeTextDocument')?.({ textDocument, contentChanges });
    },
    latest: (): DocumentSnapshot => reported.latest ?? assert.fail('no document'),
    editedAt: (): number | undefined => reported.editedAt,
  };
}

describe('open documents', () => {
  it('get a language by file name, or the usual id of their language, when the editor reports none', () => {
    for (const [path, languageId, expected] of [
      ['/a/App.vue', 'plaintext', 'vue'],
      ['/a/%2Blayout.svelte', 'plaintext', 'svelte'],
      ['/a/pyproject.toml', 'plaintext', 'toml'],
      ['/a/settings.gradle.kts', 'plaintext', 'kotlin'],
      ['/a/Package.swift', 'plaintext', 'swift'],
      ['/a/App.vue', 'html', 'html'],
      ['/a/notes.txt', 'plaintext', 'plaintext'],
      ['/a/compose.yml', 'dockercompose', 'yaml'],
      ['/a/review.prompt.md', 'prompt', 'markdown'],
    ] as const) {
      const { open, latest } = client();
      open('a\n', { uri: `file://${path}`, languageId });
      assert.equal(latest().languageId, expected, path);
    }
  });

  it('have a decoded name of at most 255 characters without control characters; cells have the notebook name', () => {
    for (const [uri, expected] of [
      ['file:///a/my%20file.ts', 'my file.ts'],
      ['file:///a/50%off.ts', '50%off.ts'],
      ['file:///a/a%0Ab%E2%80%AE.ts', 'a\uFFFDb\uFFFD.ts'],
      ['vscode-notebook-cell:/a/notes.ipynb#W0s/x', 'notes.ipynb'],
      ['untitled:Untitled-1', 'Untitled-1'],
      [`file:///a/${'x'.repeat(256)}`, 'x'.repeat(255)],
    ] as const) {
      const { open, latest } = client();
      open('a\n', { uri });
      assert.equal(latest().fileName, expected, uri);
    }
  });

  it('have a text without halves of characters', () => {
    const { open, change, latest } = client();
    open('a = "😀";\n');
    change([{ range: { start: { line: 0, character: 6 }, end: { line: 0, character: 7 } }, text: '' }]);
    assert.equal(latest().text, 'a = "\uFFFD";\n');
  });

  it('are checked for secrets in the whole text after a malformed change', () => {
    const { open, change, latest } = client();
    open('a\n');
    const start = { line: 0, character: 0 };
    const key = '-----BEGIN PRIVATE KEY-----\n';
    assert.throws(() => {
      change([
        { range: { start, end: start }, text: key },
        { range: {}, text: '' },
      ]);
    });
    change([{ range: { start: { line: 9, character: 0 }, end: { line: 9, character: 0 } }, text: 'b' }]);
    assert.equal(latest().text, `${key}a\nb`);
    assert.equal(latest().ineligibleText, 'secret');
  });

  it('get at most 32 definitions of 20,000 characters each, and the nearest 64 cells', () => {
    const text = 'y\n'.repeat(10_001);
    const cells = Array.from({ length: 70 }, (_, i) => String(i));
    const { definitions, above } = relatedCode({
      uri: 'file:///a.ts',
      definitions: Array.from({ length: 33 }, (_, i) => ({ uri: `file:///${String(i)}.ts`, text })),
      above: cells,
    });
    assert.deepEqual([definitions.length, definitions[31]?.fileName], [32, '31.ts']);
    assert.equal(definitions[0]?.text, text.slice(0, 20_000));
    assert.deepEqual(above, cells.slice(-64));
  });

  it('have the place of the last edit, and none after they are opened or replaced as a whole', () => {
    const { open, change, latest, editedAt } = client();
    open('a\n');
    const start = { line: 0, character: 0 };
    const insertion = { range: { start, end: start }, text: 'bc' };
    change([insertion]);
    assert.equal(editedAt(), 2);
    open('d\n', { uri: 'file:///d.ts' });
    assert.equal(editedAt(), undefined);
    change([insertion]);
    change([{ text: 'e\n' }]);
    assert.equal(editedAt(), undefined);
    change([{ text: 'b', range: null, rangeLength: null }]);
    assert.deepEqual([latest().text, editedAt()], ['b', undefined]);
  });
});
