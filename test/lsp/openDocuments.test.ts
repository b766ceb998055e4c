// What edits make of a document: whether it may enter prompts is judged by the lines that they touch, and is what it
// would be for the whole text.
import assert from 'node:assert/strict';
import type { Connection } from 'vscode-languageserver/node';
import type { DocumentSnapshot } from '../../server/completion/prompt/context';
import { documentSnapshot } from '../../server/completion/prompt/eligibility';
import { openDocuments } from '../../server/lsp/openDocuments';
import { seededRandom } from '../support/seededRandom';

const PIECES = [
  ...['const a = 1;', '\n', '\r\n', '\r', '\n\n\n', '  ', '# ', '\ud83d', '\ude00', '\0', '\ufffd'],
  ...'-----BEGIN RSA |PRIVATE KEY-----|---- BEGIN |AGE-SECRET-KEY-1|QQPQZRFR7ZZ2|ghp_'.split('|'),
  ...['PuTTY-User-Key-File-3:', '"kty": "oct", ', '"k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ"'],
  ...['client-key-data: LS0tLS1CRUdJTiBSU0E', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5'],
  ...['PrivateKey = ', 'yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk='],
  ...['x'.repeat(401), `${'y'.repeat(700)}\n`.repeat(8), 'z'.repeat(5001)],
];

type Handler = (params: unknown) => void;

/** The documents of a client that sends what it is told to. */
function client() {
  const handlers = new Map<string, Handler>();
  const connection = new Proxy({} as Connection, {
    get: (_, name) => (handler: Handler) => {
      handlers.set(String(name), handler);
      return { dispose: () => undefined };
    },
  });
  const told: { now?: DocumentSnapshot } = {};
  openDocuments({
    changed: (document) => (told.now = document) && undefined,
    closed: () => undefined,
  }).listen(connection);
  const textDocument = { uri: 'file:///a.ts', languageId: 'typescript', version: 1 };
  return {
    open: (text: string) =>
      handlers.get('onDidOpenTextDocument')?.({ textDocument: { ...textDocument, text } }),
    change: (contentChanges: readonly unknown[]) => {
      textDocument.version += 1;
      handlers.get('onDidChangeTextDocument')?.({ textDocument, contentChanges });
    },
    now: (): DocumentSnapshot => told.now ?? assert.fail('no document'),
  };
}

describe('open documents', () => {
  it('are judged after edits as their whole text would be', () => {
    const kinds = new Set<string | undefined>();
    for (let seed = 1; seed <= 60; seed++) {
      const random = seededRandom(seed);
      const below = (count: number) => Math.floor(random() * count);
      const text = () => Array.from({ length: below(4) }, () => PIECES[below(PIECES.length)] ?? '').join('');
      const place = () => ({ line: below(12), character: below(60) });
      const { open, change, now } = client();
      open(text() + text());
      for (let edit = 0; edit < 60; edit++) {
        const range = () => {
          const start = place();
          return { start, end: below(2) === 0 ? start : place() };
        };
        const changes = Array.from({ length: 1 + below(3) }, () =>
          below(12) === 0 ? { text: text() } : { range: range(), text: text() },
        );
        change(changes);
        const { ineligible, ...document } = now();
        const whole = documentSnapshot(document);
        assert.equal(
          ineligible,
          whole.ineligible,
          JSON.stringify({ seed, edit, text: document.text.slice(0, 2000) }),
        );
        kinds.add(ineligible);
      }
    }
    assert.deepEqual([...kinds].sort(), ['binary', 'minified', 'secret', undefined]);
  });

  it('are judged as a whole after a change that is none', () => {
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
