// Pieces of other documents: the most alike ones, within the budget, never a secret, always in the same order.
import assert from 'node:assert/strict';
import type { DocumentSnapshot } from '../../server/completion/context';
import { RecentEdits } from '../../server/completion/recentEdits';
import { SnippetIndex } from '../../server/completion/snippets';
import { contextAt } from '../support/cursor';

function open(fileName: string, text: string, version = 1): DocumentSnapshot {
  return { uri: `file:///${fileName}`, fileName, languageId: 'typescript', version, text };
}

const cart = open('cart.ts', 'export class ShoppingCart {\n  addItem(item: CartItem) {}\n}\n');
const matrix = open('matrix.ts', 'export class Matrix {\n  transpose() {}\n}\n');
const context = contextAt('const cart = new ShoppingCart();\ncart.addItem(item);\ncart.addItem(║);\n');
const choose = (documents: readonly DocumentSnapshot[], budget = 4000, edits = new RecentEdits()) =>
  new SnippetIndex()
    .choose(context, { documents, edits: edits.list }, budget)
    .map(({ fileName }) => fileName);

describe('SnippetIndex', () => {
  it('chooses what shares identifiers with the text around the cursor', () => {
    assert.deepEqual(choose([matrix, cart]), ['cart.ts']);
  });

  it('never takes the document itself', () => {
    assert.deepEqual(choose([{ ...cart, uri: context.uri }]), []);
  });

  it('never takes a secret or a file that is not code', () => {
    const secret = open('.env', 'ShoppingCart addItem cart\n');
    const key = open('a.ts', `ShoppingCart addItem\n-----BEGIN PRIVATE KEY-----\n`);
    const edits = new RecentEdits();
    edits.record(secret, 3);
    assert.deepEqual(choose([secret, key, open('b.min.js', cart.text)], 4000, edits), []);
  });

  it('keeps to the budget', () => {
    assert.deepEqual(choose([cart], 40), []);
    const long = open('long.ts', `${cart.text}${'other();\n'.repeat(500)}`);
    const [snippet] = new SnippetIndex().choose(context, { documents: [long], edits: [] }, 1000);
    assert.ok(snippet && snippet.text.length < 1000 && snippet.text.startsWith('export class ShoppingCart'));
  });

  it('puts the most alike nearest to the file', () => {
    const less = open(
      'less.ts',
      'function useCart(cart: ShoppingCart, other: Warehouse, third: Delivery) {}\n',
    );
    assert.deepEqual(choose([cart, less]), ['less.ts', 'cart.ts']);
    assert.deepEqual(choose([less, cart]), ['less.ts', 'cart.ts']);
  });

  it('chooses the same wherever the cursor is in a block of lines, and whatever is written in it', () => {
    const warehouse = open('warehouse.ts', 'export class Warehouse {\n  deliver(parcel: Parcel) {}\n}\n');
    const above = 'cart.addItem(new ShoppingCart());\n'.repeat(8);
    const written = 'warehouse.deliver(parcel);\nnew Warehouse().deliver(parcel);\n'.repeat(4);
    const names = (typed: string): string[] =>
      new SnippetIndex()
        .choose(
          contextAt(`${above}${typed}║\ncart.addItem(item);\n`),
          { documents: [cart, warehouse], edits: [] },
          4000,
        )
        .map(({ fileName }) => fileName);
    const inBlock = written.slice(0, -1);
    for (let typed = 0; typed <= inBlock.length; typed++)
      assert.deepEqual(names(inBlock.slice(0, typed)), ['cart.ts']);
    assert.deepEqual(names(written), ['warehouse.ts', 'cart.ts']);
  });

  it('takes the places of recent edits first', () => {
    const edits = new RecentEdits();
    edits.record(matrix, 10);
    assert.deepEqual(choose([cart, matrix], 4000, edits), ['cart.ts', 'matrix.ts']);
  });

  it('reads a document again when it has changed', () => {
    const index = new SnippetIndex();
    assert.equal(index.choose(context, { documents: [cart], edits: [] }, 4000).length, 1);
    const emptied = { ...cart, text: '', version: 2 };
    assert.equal(index.choose(context, { documents: [emptied], edits: [] }, 4000).length, 0);
  });

  it('reads few of many documents, and each once', () => {
    const read: string[] = [];
    const documents = Array.from({ length: 40 }, (_, i) => {
      const document = open(`f${i}.ts`, 'export const someName = otherName(thirdName);\n'.repeat(5000));
      return Object.defineProperty({ ...document }, 'text', {
        get: () => {
          read.push(document.uri);
          return document.text;
        },
      });
    });
    const index = new SnippetIndex();
    index.choose(context, { documents, edits: [] }, 4000);
    const first = new Set(read);
    assert.ok(first.size > 0 && first.size <= 8, [...first].join());
    read.length = 0;
    for (let i = 0; i < 10; i++) index.choose(context, { documents, edits: [] }, 4000);
    assert.deepEqual(read, []);
  });
});

describe('RecentEdits', () => {
  it('keeps whole lines around an edit, newest first', () => {
    const edits = new RecentEdits();
    edits.record(cart, 40);
    edits.record(matrix, 3);
    assert.deepEqual(
      edits.list.map(({ fileName, text }) => [fileName, text]),
      [
        ['matrix.ts', matrix.text],
        ['cart.ts', cart.text],
      ],
    );
    const long = open('long.ts', 'abc();\r\n'.repeat(1000));
    edits.record(long, 4000);
    assert.match(edits.list[0]?.text ?? '', /^(abc\(\);\n)+abc\(\);$/);
  });

  it('keeps one entry for one place', () => {
    const edits = new RecentEdits();
    for (let i = 0; i < 20; i++) edits.record(cart, i);
    assert.equal(edits.list.length, 1);
    edits.record({ ...cart, text: cart.text.repeat(50) }, 2000);
    assert.equal(edits.list.length, 2);
    edits.forget(cart.uri);
    assert.deepEqual(edits.list, []);
  });

  it('keeps the newest of many', () => {
    const edits = new RecentEdits();
    for (let i = 0; i < 20; i++) edits.record(open(`f${i}.ts`, 'a();\n'), 0);
    assert.equal(edits.list.length, 8);
    assert.equal(edits.list[0]?.fileName, 'f19.ts');
  });
});
