// Tests snippets of other documents: the most similar ones, within the budget, never a secret, always in the same
// order.
import assert from 'node:assert/strict';
import { CodeWindows } from '../../../server/completion/prompt/codeWindows';
import type { DocumentSnapshot } from '../../../server/completion/prompt/context';
import { outlined, type Definition, type RelatedCode } from '../../../server/completion/prompt/definitions';
import { RecentPlaces } from '../../../server/completion/prompt/recentPlaces';
import {
  chooseSnippets,
  type SnippetBudget,
  type SnippetSources,
} from '../../../server/completion/prompt/snippets';
import { contextAt } from '../../support/cursor';

function openFile(fileName: string, text: string): DocumentSnapshot {
  return { uri: `file:///${fileName}`, fileName, languageId: 'typescript', text };
}

const cart = openFile('cart.ts', 'export class ShoppingCart {\n  addItem(item: CartItem) {}\n}\n');
const matrix = openFile('matrix.ts', 'export class Matrix {\n  transpose() {}\n}\n');
const context = contextAt('const cart = new ShoppingCart();\ncart.addItem(item);\ncart.addItem(║);\n');
/** Returns a budget with the same room with and without definitions. */
const budgetOf = (characters: number): SnippetBudget => ({ all: characters, similar: characters });
/** Returns the snippets of these sources at the cursor. */
const chosen = (sources: Partial<SnippetSources>, budget = 4000, cursor = context) =>
  chooseSnippets(
    cursor,
    { documents: [], windows: new CodeWindows(), places: new RecentPlaces(), ...sources },
    budgetOf(budget),
  );
/** Returns the names of the quoted files, the most similar last. */
const chosenFiles = (documents: readonly DocumentSnapshot[], budget = 4000) =>
  chosen({ documents }, budget).map(({ fileName }) => fileName);

/** Returns the related code of a file that imports only these definitions. */
const importing = (definitions: readonly Definition[]): RelatedCode => ({
  definitions: definitions.map(outlined),
  above: [],
});

describe('snippets', () => {
  it('keep to the budget', () => {
    assert.deepEqual(chosenFiles([cart], 40), []);
    const long = openFile('long.ts', `${cart.text}${'other();\n'.repeat(500)}`);
    const [snippet] = chosen({ documents: [long] }, 1000);
    assert.ok(snippet && snippet.text.length < 1000 && snippet.text.startsWith('export class ShoppingCart'));
  });

  it('include a less similar one that fits where the most similar one does not', () => {
    const large = openFile('large.ts', cart.text.replace('{}', `{ ${'x = 1; '.repeat(90)}}`));
    const small = openFile(
      'small.ts',
      'function useCart(cart: ShoppingCart, from: Warehouse, a: Delivery) {}\n',
    );
    assert.deepEqual(chosenFiles([large, small]), ['small.ts', 'large.ts']);
    assert.deepEqual(chosenFiles([large, small], 200), ['small.ts']);
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
    const documents = [inFolder('a', 'first'), inFolder('b', 'second')];
    assert.deepEqual(
      chosen({ documents }).map(({ text }) => /first|second/.exec(text)?.[0]),
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
    const windows = new CodeWindows();
    chosen({ documents, windows });
    const first = new Set(read);
    assert.ok(first.size > 0 && first.size <= 8, [...first].join());
    read.length = 0;
    for (let i = 0; i < 10; i++) chosen({ documents, windows });
    assert.deepEqual(read, []);
  });
});

describe('recent edits', () => {
  const emptyContext = contextAt('║');
  const edits = (places: RecentPlaces) => chosen({ places }, 1e5, emptyContext);

  it('are quoted as whole lines, the newest nearest to the file, once for each place, and not from the file itself', () => {
    const places = new RecentPlaces();
    places.edited(matrix, 3);
    for (let i = 0; i < 20; i++) places.edited(cart, i);
    const quoted = [matrix, cart].map(({ fileName, text }) => ({ fileName, text }));
    places.edited({ ...cart, uri: emptyContext.uri, fileName: 'here.ts' }, 3);
    assert.deepEqual(edits(places), quoted);
    places.edited({ ...cart, text: 'abc();\r\n'.repeat(1000) }, 4000);
    const [first, second] = edits(places).slice(-2);
    assert.deepEqual([first?.fileName, second?.fileName], ['cart.ts', 'cart.ts']);
    assert.match(second?.text ?? '', /^(abc\(\);\n)+abc\(\);$/);
  });
});

describe('places that the user has left', () => {
  // test/lsp/cursor.test.ts covers places in other files.
  it('are quoted from the file itself if the prompt does not reach them', () => {
    const places = new RecentPlaces();
    const filler = '// other words stand here\n'.repeat(200);
    const long = { ...cart, uri: context.uri, text: `${cart.text}${filler}` };
    places.visited(long, 20);
    places.visited(long, long.text.length);
    const there = { ...context, offset: long.text.length };
    const quoted = (budget: number) => chosen({ places }, budget, there).map(({ text }) => text);
    assert.match(quoted(900)[0] ?? '', /^export class ShoppingCart/);
    assert.deepEqual(quoted(4000), []);
  });
});

describe('definitions that a file uses', () => {
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

  it('are nearest to the file, by defining file', () => {
    const places = new RecentPlaces();
    places.edited(matrix, 3);
    assert.deepEqual(chosen({ places, related: importing(definitions) }).slice(1), quoted);
    assert.deepEqual(
      chosen({ places, related: importing(definitions.slice(1, 2)) }).slice(1),
      quoted.slice(1),
    );
    assert.equal(chosen({ places }).length, 1);
  });

  it('leave room for recent edits, and are dropped if they do not fit', () => {
    const places = new RecentPlaces();
    const many = Array.from({ length: 40 }, (_, i) =>
      definition(`f${String(i)}.py`, `def function_${String(i)}(first, second, third):\n    pass\n`),
    );
    places.edited(matrix, 3);
    const snippets = chosen({ places, related: importing(many) }, 900);
    assert.equal(snippets[0]?.fileName, 'matrix.ts');
    const size = snippets.reduce((sum, { fileName, text }) => sum + fileName.length + text.length, 0);
    assert.ok(size <= 900 && snippets.length > 5 && snippets.length < 20, `${String(size)} characters`);
  });

  it('are not quoted again from an open document', () => {
    assert.equal(chosen({ documents: [cart], related: importing([cart]) }).length, 1);
  });
});

describe('the cells of a notebook', () => {
  const cellOf = (i: number, text: string): DocumentSnapshot => ({
    ...openFile('circles.ipynb', text),
    uri: `vscode-notebook-cell:/circles.ipynb#${String(i)}`,
  });
  const cells = [cellOf(7, 'import math\n'), cellOf(2, 'def circle_area(radius):\n    return math.pi\n')];
  const below = cellOf(1, 'below = 1\n');
  const above = cells.map(({ uri }) => uri);

  it('above the cursor’s cell are quoted in their order, nearest to the file and once', () => {
    const documents = [below, ...cells.toReversed()];
    const snippets = chosen({ documents, related: { ...importing([cart]), above } });
    assert.deepEqual(snippets.at(-1), {
      fileName: 'circles.ipynb',
      text: 'import math\n\ndef circle_area(radius):\n    return math.pi',
    });
    assert.deepEqual(
      snippets.map(({ fileName }) => fileName),
      ['cart.ts', 'circles.ipynb'],
    );
  });

  it('are dropped from the top if they do not fit, and anywhere if they must not be quoted', () => {
    const related = { definitions: [], above };
    assert.deepEqual(chosen({ documents: cells, related }, 70).at(-1)?.text, cells[1]?.text.trimEnd());
    const sources = { documents: cells, windows: new CodeWindows(), places: new RecentPlaces(), related };
    const [last] = chooseSnippets(context, sources, { all: 4000, similar: 70 });
    assert.equal(last?.text, cells[1]?.text.trimEnd(), 'beside room for definitions');
    const [first, second] = cells;
    assert.ok(first && second);
    const secret = { ...second, ineligibleText: 'secret' } as const;
    assert.deepEqual(chosen({ documents: [first, secret], related }).at(-1)?.text, 'import math');
  });
});
