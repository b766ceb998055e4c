// Tests snippets of other documents: the most similar ones, within the budget, never a secret, always in the same
// order.
import assert from 'node:assert/strict';
import type { DocumentSnapshot } from '../../../server/completion/prompt/context';
import type { Definition } from '../../../server/completion/prompt/definitions';
import { Snippets, type SnippetBudget } from '../../../server/completion/prompt/snippets';
import { contextAt } from '../../support/cursor';

function openFile(fileName: string, text: string): DocumentSnapshot {
  return { uri: `file:///${fileName}`, fileName, languageId: 'typescript', text };
}

const cart = openFile('cart.ts', 'export class ShoppingCart {\n  addItem(item: CartItem) {}\n}\n');
const matrix = openFile('matrix.ts', 'export class Matrix {\n  transpose() {}\n}\n');
const context = contextAt('const cart = new ShoppingCart();\ncart.addItem(item);\ncart.addItem(║);\n');
/** Returns a budget with the same room with and without definitions. */
const budgetOf = (characters: number): SnippetBudget => ({ all: characters, similar: characters });
/** Returns the names of the quoted files, the most similar last. */
const chosenFiles = (documents: readonly DocumentSnapshot[], budget = 4000) =>
  new Snippets().choose(context, documents, budgetOf(budget)).map(({ fileName }) => fileName);

/** Returns the related code of a file that imports only these definitions. */
const importing = (definitions: readonly Definition[]) => ({ definitions, above: [] });

describe('Snippets', () => {
  it('keep to the budget', () => {
    assert.deepEqual(chosenFiles([cart], 40), []);
    const long = openFile('long.ts', `${cart.text}${'other();\n'.repeat(500)}`);
    const [snippet] = new Snippets().choose(context, [long], budgetOf(1000));
    assert.ok(snippet && snippet.text.length < 1000 && snippet.text.startsWith('export class ShoppingCart'));
  });

  it('share identifiers with the text around the cursor, the most similar nearest to the file', () => {
    const lessSimilar = 'function useCart(cart: ShoppingCart, other: Warehouse, a: Delivery) {}\n';
    const less = openFile('less.ts', lessSimilar);
    assert.deepEqual(chosenFiles([cart, less]), ['less.ts', 'cart.ts']);
    assert.deepEqual(chosenFiles([less, cart, matrix]), ['less.ts', 'cart.ts']);
  });

  it('are at most four, from other documents, even if two of those have the same lines', () => {
    const similar = Array.from({ length: 6 }, (_, i) =>
      openFile(`s${String(i)}.ts`, `const n${String(i)} = new ShoppingCart(cart).addItem(item);\n`),
    );
    assert.deepEqual(chosenFiles(similar), ['s3.ts', 's2.ts', 's1.ts', 's0.ts']);
    const [first, second] = similar;
    assert.ok(first && second);
    assert.deepEqual(chosenFiles([first, { ...second, text: first.text }]), ['s1.ts', 's0.ts']);
    assert.deepEqual(chosenFiles([{ ...first, uri: context.uri }, second]), ['s1.ts']);
  });

  it('come from two files of the same name, even if those share a line', () => {
    const inFolder = (folder: string, name: string): DocumentSnapshot => ({
      ...openFile('index.ts', `const ${name} = new ShoppingCart(cart);\ncart.addItem(item);\n`),
      uri: `file:///${folder}/index.ts`,
    });
    const chosen = new Snippets().choose(
      context,
      [inFolder('a', 'first'), inFolder('b', 'second')],
      budgetOf(4000),
    );
    assert.deepEqual(
      chosen.map(({ text }) => /first|second/.exec(text)?.[0]),
      ['second', 'first'],
    );
  });

  it('come from at most eight of many documents, each read once', () => {
    const read: string[] = [];
    const documents = Array.from({ length: 40 }, (_, i) => {
      const document = openFile(`f${i}.ts`, 'export const someName = otherName(thirdName);\n'.repeat(5000));
      return Object.defineProperty({ ...document }, 'text', {
        get: () => {
          read.push(document.uri);
          return document.text;
        },
      });
    });
    const index = new Snippets();
    index.choose(context, documents, budgetOf(4000));
    const first = new Set(read);
    assert.ok(first.size > 0 && first.size <= 8, [...first].join());
    read.length = 0;
    for (let i = 0; i < 10; i++) index.choose(context, documents, budgetOf(4000));
    assert.deepEqual(read, []);
  });
});

describe('recent edits', () => {
  const emptyContext = contextAt('║');
  const edits = (snippets: Snippets) => snippets.choose(emptyContext, [], budgetOf(1e5));

  it('are quoted as whole lines, the newest nearest to the file, once for each place, and not from the file itself', () => {
    const snippets = new Snippets();
    snippets.edited(matrix, 3);
    for (let i = 0; i < 20; i++) snippets.edited(cart, i);
    const quoted = [matrix, cart].map(({ fileName, text }) => ({ fileName, text }));
    snippets.edited({ ...cart, uri: emptyContext.uri, fileName: 'here.ts' }, 3);
    assert.deepEqual(edits(snippets), quoted);
    snippets.edited({ ...cart, text: 'abc();\r\n'.repeat(1000) }, 4000);
    const [first, second] = edits(snippets).slice(-2);
    assert.deepEqual([first?.fileName, second?.fileName], ['cart.ts', 'cart.ts']);
    assert.match(second?.text ?? '', /^(abc\(\);\n)+abc\(\);$/);
  });
});

describe('places that the user has left', () => {
  // test/lsp/cursor.test.ts covers places in other files.
  it('are quoted from the file itself if the prompt does not reach them', () => {
    const snippets = new Snippets();
    const filler = '// other words stand here\n'.repeat(200);
    const long = { ...cart, uri: context.uri, text: `${cart.text}${filler}` };
    snippets.visited(long, 20);
    snippets.visited(long, long.text.length);
    const there = { ...context, offset: long.text.length };
    const quoted = (budget: number) => snippets.choose(there, [], budgetOf(budget)).map(({ text }) => text);
    assert.match(quoted(900)[0] ?? '', /^export class ShoppingCart/);
    assert.deepEqual(quoted(4000), []);
  });
});

describe('definitions that a file imports', () => {
  const definition = (name: string, text: string) => ({ uri: `file:///${name}`, fileName: name, text });
  const definitions = [
    definition('oven.py', 'class Oven:\n    def preheat(self, celsius):\n        pass\n'),
    definition('recipes.py', 'MOST = 3\n'),
    definition('oven.py', 'def cold():\n    return 1\n'),
  ];
  const quoted = [
    { fileName: 'oven.py', text: 'class Oven:\n    def preheat(self, celsius):\ndef cold():' },
    { fileName: 'recipes.py', text: 'MOST = 3' },
  ];

  it('are nearest to the file, by defining file, until they are forgotten or replaced', () => {
    const snippets = new Snippets();
    snippets.edited(matrix, 3);
    snippets.define(context.uri, importing(definitions));
    assert.deepEqual(snippets.choose(context, [], budgetOf(4000)).slice(1), quoted);
    snippets.define(context.uri, importing(definitions.slice(1, 2)));
    assert.deepEqual(snippets.choose(context, [], budgetOf(4000)).slice(1), quoted.slice(1));
    snippets.forget(context.uri);
    assert.equal(snippets.choose(context, [], budgetOf(4000)).length, 1);
  });

  it('leave room for recent edits, and are dropped if they do not fit', () => {
    const snippets = new Snippets();
    const many = Array.from({ length: 40 }, (_, i) =>
      definition(`f${String(i)}.py`, `def function_${String(i)}(first, second, third):\n    pass\n`),
    );
    snippets.define(context.uri, importing(many));
    snippets.edited(matrix, 3);
    const chosen = snippets.choose(context, [], budgetOf(900));
    assert.equal(chosen[0]?.fileName, 'matrix.ts');
    const size = chosen.reduce((sum, { fileName, text }) => sum + fileName.length + text.length, 0);
    assert.ok(size <= 900 && chosen.length > 5 && chosen.length < 20, `${String(size)} characters`);
  });

  it('are not quoted again from an open document', () => {
    const snippets = new Snippets();
    snippets.define(context.uri, importing([cart]));
    assert.equal(snippets.choose(context, [cart], budgetOf(4000)).length, 1);
  });
});

describe('the cells of a notebook', () => {
  const cellOf = (i: number, text: string): DocumentSnapshot => ({
    ...openFile('circles.ipynb', text),
    uri: `vscode-notebook-cell:/circles.ipynb#${String(i)}`,
  });
  const cells = [cellOf(7, 'import math\n'), cellOf(2, 'def circle_area(radius):\n    return math.pi\n')];
  const below = cellOf(1, 'below = 1\n');
  const snippets = new Snippets();
  const above = cells.map(({ uri }) => uri);

  it('above the cursor’s cell are quoted in their order, nearest to the file and once', () => {
    snippets.define(context.uri, { ...importing([cart]), above });
    const chosen = snippets.choose(context, [below, ...cells.toReversed()], budgetOf(4000));
    assert.deepEqual(chosen.at(-1), {
      fileName: 'circles.ipynb',
      text: 'import math\n\ndef circle_area(radius):\n    return math.pi',
    });
    assert.deepEqual(
      chosen.map(({ fileName }) => fileName),
      ['cart.ts', 'circles.ipynb'],
    );
  });

  it('are dropped from the top if they do not fit, and anywhere if they must not be quoted', () => {
    snippets.define(context.uri, { ...importing([]), above });
    assert.deepEqual(snippets.choose(context, cells, budgetOf(70)).at(-1)?.text, cells[1]?.text.trimEnd());
    const [first, second] = cells;
    assert.ok(first && second);
    const secret = { ...second, ineligibleText: 'secret' } as const;
    assert.deepEqual(snippets.choose(context, [first, secret], budgetOf(4000)).at(-1)?.text, 'import math');
  });
});
