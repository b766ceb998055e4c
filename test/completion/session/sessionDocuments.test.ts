// Tests which snippets of a client's documents a prompt can quote after they were opened, edited, left or deleted.
import assert from 'node:assert/strict';
import { SessionDocuments } from '../../../server/completion/session/sessionDocuments';
import { contextAt } from '../../support/cursor';

const CONTEXT = contextAt(`${'new Cart(cart).addItem(item);\n'.repeat(3)}cart.addItem(║);\n`);
const BUDGET = { all: 4000, similar: 4000 };

function documentOf(name: string, text: string, ineligibleText?: 'secret') {
  return { uri: `file:///w/${name}`, fileName: name, languageId: 'typescript', text, ineligibleText };
}
const OTHER = documentOf('other.ts', 'unrelated();\n');

/** Returns the names of the files that a prompt quotes. */
const quoted = (documents: SessionDocuments): readonly string[] =>
  documents.snippets(CONTEXT, BUDGET).map(({ fileName }) => fileName);

describe('the documents of a client', () => {
  it('are quoted where they were edited, unless they may not enter prompts', () => {
    const documents = new SessionDocuments();
    assert.equal(documents.changed(OTHER, undefined), true);
    assert.deepEqual(quoted(documents), []);
    assert.equal(documents.changed(OTHER, 3), true);
    assert.deepEqual(quoted(documents), ['other.ts']);
    documents.closed(OTHER.uri);
    assert.deepEqual(quoted(documents), []);
    documents.changed(OTHER, 3);
    const secret = documentOf('other.ts', 'unrelated();\nsecret\n', 'secret');
    assert.equal(documents.changed(secret, 3), false);
    assert.deepEqual(quoted(documents), []);
    assert.equal(documents.get(secret.uri), secret);
    assert.equal(documents.eligible(secret.uri), undefined);
    documents.changed(OTHER, undefined);
    assert.equal(documents.eligible(OTHER.uri), OTHER);
  });

  it('are compared with the code at the cursor, the most recently used first and eight at most', () => {
    const documents = new SessionDocuments();
    const similar = Array.from({ length: 9 }, (_, i) =>
      documentOf(`s${String(i)}.ts`, `const n${String(i)} = new Cart(cart).addItem(item);\n`),
    );
    for (const document of similar) documents.changed(document, undefined);
    assert.deepEqual(quoted(documents), ['s5.ts', 's6.ts', 's7.ts', 's8.ts']);
    documents.visited(similar[0] ?? assert.fail(), 0);
    assert.deepEqual(quoted(documents), ['s6.ts', 's7.ts', 's8.ts', 's0.ts']);
    documents.closed('file:///w/s8.ts');
    assert.deepEqual(quoted(documents), ['s5.ts', 's6.ts', 's7.ts', 's0.ts']);
    const crowded = new SessionDocuments();
    crowded.changed(similar[0] ?? assert.fail(), undefined);
    for (let i = 0; i < 7; i++) crowded.changed(documentOf(`u${String(i)}.ts`, OTHER.text), undefined);
    assert.deepEqual(quoted(crowded), ['s0.ts']);
    crowded.changed(OTHER, undefined);
    assert.deepEqual(quoted(crowded), [], 'the ninth document is not compared');
  });

  it('are quoted where the cursor was until their file or a folder above it is deleted', () => {
    const left = documentOf('lib/left.ts', 'cart.addItem(item);\n');
    for (const [deleted, isQuoted] of [
      ['file:///w/lib/left.ts', false],
      ['file:///w/lib', false],
      ['file:///w/li', true],
      ['file:///w/lib/left', true],
    ] as const) {
      const documents = new SessionDocuments();
      documents.changed(left, undefined);
      documents.visited(left, 0);
      documents.visited(OTHER, 0);
      documents.closed(left.uri);
      assert.deepEqual(quoted(documents), ['lib/left.ts']);
      documents.deleted(deleted);
      assert.deepEqual(quoted(documents), isQuoted ? ['lib/left.ts'] : [], deleted);
    }
  });

  it('of a notebook are quoted until the notebook or a folder above it is deleted', () => {
    const uri = 'vscode-notebook-cell:/w/lib/a.ipynb#W0sZmlsZQ';
    const cell = { ...documentOf('a.ipynb', 'cart.addItem(item);\n'), uri };
    for (const deleted of ['file:///w/lib/a.ipynb', 'file:///w/lib']) {
      const documents = new SessionDocuments();
      documents.changed(cell, undefined);
      documents.visited(cell, 0);
      documents.visited(OTHER, 0);
      documents.closed(uri);
      assert.deepEqual(quoted(documents), ['a.ipynb']);
      documents.deleted(deleted);
      assert.deepEqual(quoted(documents), [], deleted);
    }
  });

  it('have definitions in other files quoted until these are deleted', () => {
    const documents = new SessionDocuments();
    const definitions = ['a.ts', 'lib/b.ts', 'lib/c.ts'].map((name) => documentOf(name, `class ${name} {}`));
    documents.define(CONTEXT.uri, { definitions, above: [] });
    assert.deepEqual(quoted(documents), ['a.ts', 'lib/b.ts', 'lib/c.ts']);
    documents.deleted('file:///w/a.ts');
    assert.deepEqual(quoted(documents), ['lib/b.ts', 'lib/c.ts']);
    documents.deleted('file:///w/lib');
    assert.deepEqual(quoted(documents), []);
  });

  it('have the outlines of definitions in other files quoted', () => {
    const documents = new SessionDocuments();
    const oven = documentOf('oven.py', 'class Oven:\n    def preheat(self, celsius):\n        pass\n');
    documents.define(CONTEXT.uri, { definitions: [oven], above: [] });
    const [snippet] = documents.snippets(CONTEXT, BUDGET);
    assert.equal(snippet?.text, 'class Oven:\n    def preheat(self, celsius):');
  });

  it('have definitions in other files quoted until these are replaced, or the document is closed or ineligible', () => {
    const [a, b] = ['a.ts', 'b.ts'].map((name) => documentOf(name, `class ${name} {}`));
    assert.ok(a && b);
    const here = { ...documentOf('here.ts', ''), uri: CONTEXT.uri };
    for (const end of ['closed', 'ineligible']) {
      const documents = new SessionDocuments();
      documents.define(CONTEXT.uri, { definitions: [a, b], above: [] });
      assert.deepEqual(quoted(documents), ['a.ts', 'b.ts']);
      documents.define(CONTEXT.uri, { definitions: [b], above: [] });
      assert.deepEqual(quoted(documents), ['b.ts']);
      if (end === 'closed') documents.closed(CONTEXT.uri);
      else documents.changed({ ...here, ineligibleText: 'secret' }, undefined);
      assert.deepEqual(quoted(documents), [], end);
    }
  });

  it('are quoted where the cursor was until closed documents must be forgotten', () => {
    const documents = new SessionDocuments();
    for (const name of ['a.ts', 'b.ts']) {
      const document = documentOf(name, `cart.addItem(${name});\n`);
      documents.changed(document, undefined);
      documents.visited(document, 0);
    }
    documents.visited(OTHER, 0);
    documents.closed('file:///w/a.ts');
    assert.deepEqual([...quoted(documents)].sort(), ['a.ts', 'b.ts']);
    documents.forgetClosed();
    assert.deepEqual(quoted(documents), ['b.ts']);
  });
});
