// Which suggestions stay away after Escape: the same line at the same place, and no others.
import assert from 'node:assert/strict';
import type { TextDocument } from 'vscode';
import { TextDocument as LspDocument } from 'vscode-languageserver-textdocument';
import { Dismissals } from '../../src/ghostText/dismissals';
import { commands, Position, type Range, window } from './support/fakeVscode';

/** Far more than is kept. */
const MANY = 100;

function documentOf(text: string, uri = 'file:///a.ts'): TextDocument {
  const own = LspDocument.create(uri, 'typescript', 1, text);
  const document = {
    uri,
    offsetAt: (position: Position) => own.offsetAt(position),
    positionAt: (offset: number) => {
      const { line, character } = own.positionAt(offset);
      return new Position(line, character);
    },
    getText: (range: Range) => own.getText(range),
    lineAt: (line: number) => ({ text: text.split('\n')[line] ?? '' }),
  };
  return document as unknown as TextDocument;
}

/** At the end of the text, which is where the cursor of these tests is. */
function endOf(text: string): Position {
  const lines = text.split('\n');
  return new Position(lines.length - 1, lines.at(-1)?.length ?? 0);
}

/** A person who presses Escape while `texts` are offered after `text`. */
async function dismissed(
  dismissals: Dismissals,
  text: string,
  offered: string[],
  texts: string[],
): Promise<void> {
  offered.splice(0, offered.length, ...texts);
  window.activeTextEditor = { document: documentOf(text), selection: { active: endOf(text) } };
  await dismissals.dismiss();
  window.activeTextEditor = undefined;
}

describe('dismissals', () => {
  let offered: string[];
  let dismissals: Dismissals;
  beforeEach(() => {
    offered = [];
    dismissals = new Dismissals({ dismiss: () => offered });
  });
  const has = (text: string, item: string, uri?: string): boolean =>
    dismissals.has(documentOf(text, uri), endOf(text) as never, { insertText: item });

  it('keep a suggestion that begins with the same line from the same place', async () => {
    assert.equal(has('const a = ', '1;'), false);
    await dismissed(dismissals, 'const a = ', offered, ['1;\nconst b = 2;']);
    assert.deepEqual(commands.ran, ['editor.action.inlineSuggest.hide']);
    assert.equal(has('const a = ', '1;'), true);
    assert.equal(has('const a = ', '1;\nconst c = 3;'), true);
  });

  it('let other suggestions, other places and other files be', async () => {
    await dismissed(dismissals, 'const a = ', offered, ['1;']);
    assert.equal(has('const a = ', '2;'), false);
    assert.equal(has('const b = ', '1;'), false);
    assert.equal(has('const a = ', '1;', 'file:///b.ts'), false);
  });

  it('know the alternatives that were offered beside it, and what begins with blank lines', async () => {
    await dismissed(dismissals, 'f(', offered, ['x);', '\n  y);']);
    assert.equal(has('f(', 'x);'), true);
    assert.equal(has('f(', '\n\n  y);'), true);
  });

  it('are forgotten in the end', async () => {
    await dismissed(dismissals, 'first(', offered, ['x);']);
    for (let i = 0; i < MANY; i++) await dismissed(dismissals, `later${String(i)}(`, offered, ['x);']);
    assert.equal(has('first(', 'x);'), false);
    assert.equal(has(`later${String(MANY - 1)}(`, 'x);'), true);
  });
});
