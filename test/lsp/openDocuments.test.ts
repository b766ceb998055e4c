// Tests open documents: their language, and whether they can be used in prompts, which depends on the whole text.
import assert from 'node:assert/strict';
import type { Connection } from 'vscode-languageserver/node';
import type { DocumentSnapshot } from '../../server/completion/prompt/context';
import { openDocuments } from '../../server/lsp/openDocuments';

type Handler = (params: unknown) => void;

/** Creates documents of a client that sends the given messages. */
function client() {
  const handlers = new Map<string, Handler>();
  const connection = new Proxy({} as Connection, {
    get: (_, name) => (handler: Handler) => {
      handlers.set(String(name), handler);
      return { dispose: () => undefined };
    },
  });
  const reported: { now?: DocumentSnapshot } = {};
  openDocuments({
    changed: (document) => (reported.now = document) && undefined,
    closed: () => undefined,
  }).listen(connection);
  const textDocument = { uri: 'file:///a.ts', languageId: 'typescript', version: 1 };
  return {
    open: (text: string, named = {}) =>
      handlers.get('onDidOpenTextDocument')?.({ textDocument: { ...textDocument, ...named, text } }),
    change: (contentChanges: readonly unknown[]) => {
      textDocument.version += 1;
      handlers.get('onDidChangeTextDocument')?.({ textDocument, contentChanges });
    },
    now: (): DocumentSnapshot => reported.now ?? assert.fail('no document'),
  };
}

describe('open documents', () => {
  it('get a language by file name when the editor knows none', () => {
    for (const [path, languageId, known] of [
      ['/a/App.vue', 'plaintext', 'vue'],
      ['/a/%2Blayout.svelte', 'plaintext', 'svelte'],
      ['/a/pyproject.toml', 'plaintext', 'toml'],
      ['/a/settings.gradle.kts', 'plaintext', 'kotlin'],
      ['/a/Package.swift', 'plaintext', 'swift'],
      ['/a/App.vue', 'html', 'html'],
      ['/a/notes.txt', 'plaintext', 'plaintext'],
    ] as const) {
      const { open, now } = client();
      open('a\n', { uri: `file://${path}`, languageId });
      assert.equal(now().languageId, known, path);
    }
  });

  it('are checked as a whole after a malformed change', () => {
    const { open, change, now } = client();
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
    assert.equal(now().text, `${key}a\nb`);
    assert.equal(now().ineligible, 'secret');
  });
});
