// Tests the acceptance counters with offers, document changes and the command of an accepted item.
import assert from 'node:assert/strict';
import type { InlineCompletionItem, TextDocument, TextDocumentContentChangeEvent } from 'vscode';
import { Acceptance, type Insertion } from '../../src/ghostText/acceptance';
import { NO_ACCEPTANCE, type AcceptanceCounts } from '../../src/ghostText/acceptanceCounter';
import { ManualClock } from '../lsp/manualClock';
import { fake } from '../support/fake';
import { memento, Position } from './support/fakeVscode';

const FILE = 'file:///a.ts';
const STORED = 'flashline.acceptance';
const memoryWith = (counts: object) => memento(new Map([[STORED, counts]]));

/** Creates a document of one line, in which offsets equal character positions. */
function documentOf(uri = FILE): TextDocument {
  return { uri, offsetAt: ({ character }: Position) => character } as unknown as TextDocument;
}

function change(rangeOffset: number, text: string, rangeLength = 0): TextDocumentContentChangeEvent {
  return { rangeOffset, rangeLength, text } as TextDocumentContentChangeEvent;
}

/** A window with counters. Windows with the same memory share their counts. */
class CountingWindow {
  static readonly open: CountingWindow[] = [];
  readonly acceptance: Acceptance;

  constructor(memory = memento()) {
    this.acceptance = new Acceptance(memory);
    CountingWindow.open.push(this);
  }

  get counts(): AcceptanceCounts {
    return this.acceptance.counter.counts;
  }

  offer(offset: number, ...texts: readonly string[]): number {
    const items = texts.map((insertText) => ({ insertText }));
    return this.acceptance.offer(documentOf(), new Position(0, offset) as never, items);
  }

  isOffered(offset: number): boolean {
    return this.acceptance.isOffered(documentOf(), new Position(0, offset) as never);
  }

  /** Returns whether a change accepted a part, which it counts. */
  change(contentChanges: readonly TextDocumentContentChangeEvent[], uri = FILE): boolean {
    const { acceptedParts } = this.counts;
    const isPart = this.acceptance.change({ document: documentOf(uri), contentChanges, reason: undefined });
    assert.equal(this.counts.acceptedParts - acceptedParts, isPart ? 1 : 0);
    return isPart;
  }

  accept(id: number): Insertion | undefined {
    return this.acceptance.accept(id, 'typescript');
  }
}

describe('Acceptance', () => {
  afterEach(() => {
    for (const { acceptance } of CountingWindow.open.splice(0)) acceptance.dispose();
  });

  it('counts ghost text after accepted list entries once, without the entries', () => {
    const window = new CountingWindow();
    const first = window.offer(4, 'ndOrder(id);');
    assert.equal(window.change([change(2, 'findOrder', 2)]), false);
    assert.equal(window.offer(11, '(id);'), first);
    assert.equal(window.counts.offered, 1);
    // Another entry ends the offer.
    window.change([change(11, '()')]);
    window.offer(13, '.then(f);');
    window.change([change(13, '.catch')]);
    assert.notEqual(window.offer(19, '(g);'), first);
    assert.equal(window.counts.offered, 3);
  });

  it('counts an offer once while it grows or is typed, and knows whether it is still shown', () => {
    const window = new CountingWindow();
    assert.equal(window.isOffered(4), false);
    const id = window.offer(4, '{');
    assert.equal(window.offer(4, '{\n}', '{}'), id);
    assert.equal(window.isOffered(4), true);
    window.change([change(4, '{')]);
    assert.equal(window.offer(5, '\n}'), id);
    assert.equal(window.counts.offered, 1);
    window.change([change(5, 'x')]);
    assert.equal(window.isOffered(6), false);
    assert.notEqual(window.offer(6, 'other'), id);
    assert.equal(window.counts.offered, 2);
  });

  it('stores offers without an acceptance when the window closes, or after a delay', async () => {
    const clock = new ManualClock();
    const memory = memoryWith({ offered: 5, accepted: 5 });
    const window = new CountingWindow(memory);
    for (let i = 0; i < 200; i += 1) window.offer(10 * i, `item${i};`);
    window.acceptance.dispose();
    const next = new CountingWindow(memory);
    const stored = { ...NO_ACCEPTANCE, offered: 205, accepted: 5 };
    assert.deepEqual(next.counts, stored);
    next.offer(10, 'item;');
    await clock.pass(60_000);
    assert.deepEqual(memory.get(STORED), { ...stored, offered: 206 });
  });

  it('adds to the counts of other windows', () => {
    const memory = memoryWith({ accepted: 5 });
    const [first, second] = [new CountingWindow(memory), new CountingWindow(memory)];
    for (const window of [first, second, first]) {
      const id = window.offer(10, 'urn items;');
      window.change([change(10, 'urn items;')]);
      window.accept(id);
    }
    for (const { counts } of [first, second]) assert.deepEqual([counts.offered, counts.accepted], [3, 8]);
  });

  it('counts only the text after the cursor when an item begins before it', () => {
    const window = new CountingWindow();
    const range = { start: new Position(0, 2), end: new Position(0, 6) };
    const item = { insertText: 'const a = 1;', range } as InlineCompletionItem;
    window.acceptance.offer(documentOf(), new Position(0, 6) as never, [item]);
    assert.equal(window.change([change(6, 't a')]), true);
  });

  it('derives accepted words and lines from document changes, and the last part from the command', () => {
    const window = new CountingWindow();
    const id = window.offer(0, 'return a +\n  b;');
    assert.equal(window.change([change(0, 'return')]), true);
    assert.equal(window.change([change(6, ' a +\r\n')]), true);
    window.change([change(12, '  b;')]);
    assert.equal(window.accept(id)?.text, '  b;');
    const { accepted, acceptedParts } = window.counts;
    assert.deepEqual([accepted, acceptedParts], [1, 2]);
  });

  it('counts an accepted word once when VS Code inserts it again with the rest of its item', () => {
    const window = new CountingWindow();
    const id = window.offer(7, 'void {');
    window.change([change(7, 'void')]);
    assert.equal(window.change([change(7, 'void {', 4)]), false);
    assert.equal(window.accept(id)?.text, ' {');
    assert.deepEqual([window.counts.accepted, window.counts.acceptedParts], [1, 1]);
  });

  for (const [name, changes] of [
    ['one typed character', [change(5, '(')]],
    ['a bracket closed by the editor', [change(5, '()')]],
    ['text at another place', [change(9, '()foo')]],
    ['other text', [change(5, 'bar')]],
    ['a replacement', [change(5, '()foo', 2)]],
    ['two changes at once', [change(5, '()fo'), change(50, 'x')]],
    ['a deletion', [change(4, '', 1)]],
  ] as const)
    it(`does not count ${name} as an accepted part`, () => {
      const window = new CountingWindow();
      window.offer(5, '()foo()');
      assert.equal(window.change(changes), false);
    });

  it('follows the alternative that is being typed, in its document only', () => {
    const window = new CountingWindow();
    window.offer(0, 'first();', 'second();');
    assert.equal(window.change([change(0, 'second')]), true);
    assert.equal(window.change([change(6, '()')], 'file:///b.ts'), false);
    const id = window.offer(20, 'foo', 'foobar');
    assert.equal(window.change([change(20, 'foo')]), false);
    window.accept(id);
    assert.equal(window.counts.accepted, 1);
  });

  it('returns the inserted text of an accepted item once, and none for an item of an earlier offer', () => {
    const window = new CountingWindow();
    const first = window.offer(0, 'one();');
    window.change([change(0, 'one();')]);
    assert.deepEqual(window.accept(first), { uri: FILE, text: 'one();' });
    assert.equal(window.accept(first), undefined);
    window.offer(10, 'two();');
    window.change([change(10, 'two();')]);
    assert.equal(window.accept(first), undefined);
    assert.equal(window.counts.accepted, 3);
  });

  it('returns no text for an item whose change was not reported, though an earlier offer ended with one', () => {
    const window = new CountingWindow();
    window.offer(0, 'one();');
    window.change([change(0, 'x')]);
    assert.equal(window.accept(window.offer(1, 'two();')), undefined);
    assert.equal(window.counts.accepted, 1);
  });

  it('keeps an offer at an event without changes, and ends it with other text, no items or its acceptance', () => {
    const window = new CountingWindow();
    window.offer(4, 'foo();');
    window.change([]);
    assert.ok(window.isOffered(4));
    window.change([change(4, 'x')]);
    assert.ok(!window.isOffered(4), 'after other text');
    window.offer(4, 'foo();');
    window.offer(4);
    assert.ok(!window.isOffered(4), 'after an answer without items');
    const id = window.offer(4, 'foo();');
    assert.equal(window.counts.offered, 3);
    window.accept(id);
    assert.ok(!window.isOffered(4), 'after its acceptance');
  });

  it('counts a longer text at another offset or in another document as a new offer', () => {
    const window = new CountingWindow();
    const first = window.offer(4, '{');
    const second = window.offer(5, '{\n}');
    assert.notEqual(second, first);
    const other = documentOf('file:///b.ts');
    const at = new Position(0, 5) as never;
    assert.notEqual(window.acceptance.offer(other, at, [{ insertText: '{\n}\n' }]), second);
    assert.deepEqual([window.isOffered(5), window.acceptance.isOffered(other, at)], [false, true]);
  });

  it('returns the texts of a dismissed offer once, at its place only', () => {
    const window = new CountingWindow();
    const dismiss = (offset: number, uri?: string): readonly string[] =>
      window.acceptance.dismiss(documentOf(uri), new Position(0, offset) as never);
    window.offer(4, 'one();', 'two();');
    assert.deepEqual([dismiss(5), dismiss(4, 'file:///b.ts')], [[], []]);
    assert.deepEqual(dismiss(4), ['one();', 'two();']);
    assert.deepEqual([dismiss(4), window.isOffered(4)], [[], false]);
  });

  it('follows the text of a snippet', () => {
    const window = new CountingWindow();
    const item = { insertText: { value: 'call(a)' } } as InlineCompletionItem;
    window.acceptance.offer(documentOf(), new Position(0, 4) as never, [item]);
    assert.equal(window.change([change(4, 'call')]), true);
  });

  it('stores accepted parts and items immediately, and offers together, the last when it is disposed of', async () => {
    const clock = new ManualClock();
    const stored: AcceptanceCounts[] = [];
    const window = new CountingWindow(
      fake({
        get: (key: string, byDefault?: unknown) => (key === STORED ? stored.at(-1) : byDefault) as never,
        update: (key: string, counts: AcceptanceCounts) =>
          Promise.resolve(void (key === STORED && stored.push(counts))),
      }),
    );
    const id = window.offer(0, 'one two');
    await clock.pass(9999);
    assert.equal(stored.length, 0);
    window.change([change(0, 'one')]);
    assert.equal(stored.at(-1)?.acceptedParts, 1);
    window.change([change(3, ' two')]);
    window.accept(id);
    assert.equal(stored.at(-1)?.accepted, 1);
    await clock.pass(60_000);
    assert.equal(stored.length, 2, 'the offer was stored with its parts');
    for (const offset of [20, 30, 40]) window.offer(offset, 'foo');
    await clock.pass(60_000);
    assert.deepEqual([stored.length, stored.at(-1)?.offered], [3, 4]);
    window.offer(50, 'foo');
    window.acceptance.dispose();
    assert.deepEqual([stored.length, stored.at(-1)?.offered], [4, 5]);
    await clock.pass(60_000);
    assert.equal(stored.length, 4);
  });
});
