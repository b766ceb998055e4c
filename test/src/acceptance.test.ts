// What the counters make of offers, document changes and the command of an accepted item.
import assert from 'node:assert/strict';
import type { InlineCompletionItem, Memento, TextDocument, TextDocumentContentChangeEvent } from 'vscode';
import { Acceptance, NO_ACCEPTANCE, type AcceptanceCounts } from '../../src/ghostText/acceptance';
import { ManualClock } from '../lsp/manualClock';
import { Position } from './support/fakeVscode';

const FILE = 'file:///a.ts';

/** A document of one line, in which offsets equal character positions. */
function documentOf(text = '', uri = FILE): TextDocument {
  const document = {
    uri,
    offsetAt: ({ character }: Position) => character,
    positionAt: (offset: number) => new Position(0, offset),
    getText: ({ start, end }: { start: Position; end: Position }) =>
      text.slice(start.character, end.character),
  };
  return document as unknown as TextDocument;
}

function change(rangeOffset: number, text: string, rangeLength = 0): TextDocumentContentChangeEvent {
  return { rangeOffset, rangeLength, text } as TextDocumentContentChangeEvent;
}

/** An editor with counters, which write to `stored`. */
class Edited {
  readonly acceptance: Acceptance;

  /** Other windows write to the same memory. */
  constructor(private readonly memory: { counts: unknown }) {
    const memento = {
      get: () => memory.counts,
      update: (_: string, counts: unknown) => (memory.counts = counts),
    };
    this.acceptance = new Acceptance(memento as unknown as Memento);
  }

  get stored(): unknown {
    return this.memory.counts;
  }

  get counts(): AcceptanceCounts {
    return this.acceptance.counts;
  }

  offer(offset: number, texts: readonly string[]): number {
    const items = texts.map((insertText) => ({ insertText }));
    return this.acceptance.offer(documentOf(), new Position(0, offset) as never, items);
  }

  /** How many parts it accepted, and how many characters. */
  change(contentChanges: readonly TextDocumentContentChangeEvent[], uri = FILE): readonly [number, number] {
    const { acceptedParts, acceptedCharacters } = this.counts;
    this.acceptance.change({ document: documentOf('', uri), contentChanges, reason: undefined });
    return [this.counts.acceptedParts - acceptedParts, this.counts.acceptedCharacters - acceptedCharacters];
  }
}

describe('Acceptance', () => {
  const open: Edited[] = [];
  const edited = (before?: Partial<AcceptanceCounts>): Edited => {
    return windowOn({ counts: before });
  };
  const windowOn = (memory: { counts: unknown }): Edited => {
    const made = new Edited(memory);
    open.push(made);
    return made;
  };
  afterEach(() => {
    for (const { acceptance } of open.splice(0)) acceptance.dispose();
  });

  it('counts what goes on after an accepted entry of the list once, and the entry as no part', () => {
    const window = edited();
    const first = window.offer(4, ['ndOrder(id);']);
    assert.deepEqual(window.change([change(2, 'findOrder', 2)]), [0, 0]);
    assert.equal(window.offer(11, ['(id);']), first);
    assert.equal(window.counts.offered, 1);
    // Another entry is the end of it.
    window.change([change(11, '()')]);
    window.offer(13, ['.then(f);']);
    window.change([change(13, '.catch')]);
    assert.notEqual(window.offer(19, ['(g);']), first);
    assert.equal(window.counts.offered, 3);
  });

  it('counts an offer that grows once, and knows whether it is still there', () => {
    const { acceptance } = edited();
    const isOffered = (): boolean => acceptance.isOffered(documentOf(), new Position(0, 4) as never);
    const offer = (...texts: string[]): number =>
      acceptance.offer(
        documentOf(),
        new Position(0, 4) as never,
        texts.map((insertText) => ({ insertText })),
      );
    assert.equal(isOffered(), false);
    assert.equal(offer('{'), offer('{\n}', '{}'));
    assert.equal(acceptance.counts.offered, 1);
    assert.equal(isOffered(), true);
    acceptance.change({ document: documentOf(), contentChanges: [change(4, 'x')], reason: undefined });
    assert.equal(isOffered(), false);
  });

  it('counts offers of which nothing is accepted, also in a window that closes', () => {
    const memory = { counts: { offered: 5, accepted: 5 } };
    const window = windowOn(memory);
    for (let i = 0; i < 200; i += 1) window.offer(10 * i, [`item${i};`]);
    window.acceptance.dispose();
    const { offered, accepted } = windowOn(memory).counts;
    assert.deepEqual([offered, accepted], [205, 5]);
  });

  it('stores them while the window stays open', async () => {
    const clock = new ManualClock();
    const memory: { counts: unknown } = { counts: undefined };
    windowOn(memory).offer(10, ['item;']);
    await clock.pass(60_000);
    assert.deepEqual(memory.counts, { ...NO_ACCEPTANCE, offered: 1 });
  });

  it('adds to what other windows have counted meanwhile', () => {
    const memory = { counts: { accepted: 5 } };
    const [one, other] = [windowOn(memory), windowOn(memory)];
    for (const window of [one, other, one]) {
      const id = window.offer(10, ['urn items;']);
      window.change([change(10, 'urn items;')]);
      window.acceptance.accept(id);
    }
    for (const { counts } of [one, other])
      assert.deepEqual([counts.offered, counts.accepted, counts.acceptedCharacters], [3, 8, 30]);
  });

  it('counts an offer once while it is typed into', () => {
    const editor = edited();
    const id = editor.offer(10, ['urn items;']);
    editor.change([change(10, 'u')]);
    assert.equal(editor.offer(11, ['rn items;']), id);
    assert.equal(editor.counts.offered, 1);
    assert.notEqual(editor.offer(11, ['other']), id);
    assert.equal(editor.counts.offered, 2);
  });

  it('offers what follows the cursor, of items that begin before it', () => {
    const editor = edited();
    const range = { start: new Position(0, 2), end: new Position(0, 6) };
    const item = { insertText: 'const a = 1;', range } as InlineCompletionItem;
    editor.acceptance.offer(documentOf(), new Position(0, 6) as never, [item]);
    assert.deepEqual(editor.change([change(6, 't a')]), [1, 3]);
  });

  it('counts a whole accept with its text, and stores that', () => {
    const editor = edited();
    const id = editor.offer(10, ['urn items;']);
    editor.change([change(10, 'urn items;')]);
    editor.acceptance.accept(id);
    const counts = { ...NO_ACCEPTANCE, offered: 1, accepted: 1, acceptedCharacters: 10 };
    assert.deepEqual(editor.counts, counts);
    assert.deepEqual(editor.stored, counts);
  });

  it('derives words and lines from the changes, the last one from the command', () => {
    const editor = edited();
    const id = editor.offer(0, ['return a +\n  b;']);
    assert.deepEqual(editor.change([change(0, 'return')]), [1, 6]);
    assert.deepEqual(editor.change([change(6, ' a +\r\n')]), [1, 5]);
    editor.change([change(12, '  b;')]);
    editor.acceptance.accept(id);
    const { accepted, acceptedParts, acceptedCharacters } = editor.counts;
    assert.deepEqual([accepted, acceptedParts, acceptedCharacters], [1, 2, 15]);
  });

  it('counts only the rest of an item that VS Code writes again from an accepted word on', () => {
    const editor = edited();
    const id = editor.offer(7, ['void {']);
    editor.change([change(7, 'void')]);
    editor.change([change(7, 'void {', 4)]);
    editor.acceptance.accept(id);
    assert.equal(editor.counts.acceptedCharacters, 6);
  });

  const notParts: readonly (readonly [name: string, changes: TextDocumentContentChangeEvent[]])[] = [
    ['one typed character', [change(5, '(')]],
    ['a bracket closed by the editor', [change(5, '()')]],
    ['text at another place', [change(9, '()foo')]],
    ['other text', [change(5, 'bar')]],
    ['a replacement', [change(5, '()foo', 2)]],
    ['two changes at once', [change(5, '()fo'), change(50, 'x')]],
    ['a deletion', [change(4, '', 1)]],
  ];
  for (const [name, changes] of notParts)
    it(`takes ${name} for no part`, () => {
      const editor = edited();
      editor.offer(5, ['()foo()']);
      assert.deepEqual(editor.change(changes), [0, 0]);
    });

  it('follows the alternative that is being typed, in its document only', () => {
    const editor = edited();
    editor.offer(0, ['first();', 'second();']);
    assert.deepEqual(editor.change([change(0, 'second')]), [1, 6]);
    assert.deepEqual(editor.change([change(6, '()')], 'file:///b.ts'), [0, 0]);
  });

  it('does not count an alternative twice that another one continues', () => {
    const editor = edited();
    const id = editor.offer(0, ['foo', 'foobar']);
    editor.change([change(0, 'foo')]);
    editor.acceptance.accept(id);
    assert.equal(editor.counts.acceptedParts, 0);
    assert.equal(editor.counts.accepted, 1);
  });

  it('goes on from stored counts, also from older ones', () => {
    assert.deepEqual(edited({ accepted: 4 }).counts, { ...NO_ACCEPTANCE, accepted: 4 });
  });
});
