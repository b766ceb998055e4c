// Tests how next edits are shown: the summary of the change, the hover, and that the mark in the gutter is visible in every
// theme.
import assert from 'node:assert/strict';
import type { Position } from 'vscode';
import { drawingOf, type Drawing } from '../../../src/nextEdit/drawing';
import { summaryOf, View } from '../../../src/nextEdit/view';
import { window, type Range, type Uri } from '../support/fakeVscode';
import { FakeEditor } from './fakeEditor';

interface Looks {
  readonly light?: { readonly gutterIconPath?: Uri };
  readonly dark?: { readonly gutterIconPath?: Uri };
}

/** Returns the luminance of a colour such as #3794ff, by WCAG 2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

describe('the mark of a next edit in the gutter', () => {
  const { createTextEditorDecorationType } = window;
  let looks: Looks[];
  beforeEach(() => {
    looks = [];
    window.createTextEditorDecorationType = (look) => {
      looks.push(look);
      return createTextEditorDecorationType(look);
    };
  });
  afterEach(() => {
    window.createTextEditorDecorationType = createTextEditorDecorationType;
  });

  it('contrasts with light and dark themes, and with those of high contrast by 7 to 1', () => {
    new View().dispose();
    const mark = looks.find(({ light }) => light?.gutterIconPath !== undefined) ?? assert.fail();
    for (const [icon, background, minContrast] of [
      [mark.light?.gutterIconPath, '#ffffff', 7],
      [mark.dark?.gutterIconPath, '#000000', 7],
      [mark.dark?.gutterIconPath, '#1f1f1f', 4.5],
    ] as const) {
      const svg = Buffer.from(icon?.path.split(',')[1] ?? '', 'base64').toString();
      const [, colour = ''] = /stroke="(#[\da-f]{6})"/.exec(svg) ?? [];
      assert.ok(contrast(colour, background) >= minContrast, `${colour} on ${background}`);
    }
  });
});

describe('the summary of a next edit', () => {
  const small = { addedCount: 1, removedCount: 1, isSmall: true };
  for (const [what, drawing, cursor, expected] of [
    ['a small change of a line', {}, 0, 'line 5'],
    ['a change below the cursor', { lastLine: 6 }, 3, 'lines 5–7'],
    ['a change above the cursor', { lastLine: 6 }, 7, 'lines 5–7'],
    ['a change whose first line has the cursor', { lastLine: 6 }, 4, 'here'],
    ['a change whose last line has the cursor', { lastLine: 6 }, 6, 'here'],
    ['a large change of a line', { isSmall: false }, 0, 'line 5, +1 −1'],
    [
      'a change far to the right of the cursor in its line',
      {},
      { line: 4, character: 20 },
      'line 5, column 121',
    ],
    ['a change far to the left', {}, { line: 4, character: 225 }, 'line 5, column 121'],
    ['a change that ends near the cursor', {}, { line: 4, character: 224 }, 'here'],
    ['a change that begins near the cursor', {}, { line: 4, character: 21 }, 'here'],
    ['a change far aside in several lines', { lastLine: 6 }, { line: 5, character: 0 }, 'line 5, column 121'],
    ['two new lines', { addedCount: 2, removedCount: 0 }, 0, 'line 5, +2'],
    ['two removed lines', { addedCount: 0, removedCount: 2 }, 0, 'line 5, −2'],
  ] as const)
    it(`describes ${what}`, () => {
      const { lastLine = 4, ...counts }: Partial<Drawing> & { readonly lastLine?: number } = drawing;
      const range = { start: { line: 4, character: 120 }, end: { line: lastLine, character: 125 } };
      const drawn = { ...small, ...counts, range } as unknown as Drawing;
      const position = typeof cursor === 'number' ? { line: cursor, character: 120 } : cursor;
      assert.equal(summaryOf(drawn, position as Position), `Next edit: ${expected}`);
    });
});

describe('the view of a next edit', () => {
  interface Drawn {
    readonly range: Range;
    readonly hoverMessage?: { readonly value: string; readonly isTrusted?: object };
    readonly renderOptions?: { readonly after: { readonly contentText: string } };
  }

  /** Shows the edit that replaces `old`, and returns what is drawn. */
  function shown(text: string, old: string, fresh: string): Drawn[] {
    const drawn: Drawn[] = [];
    const editor = new FakeEditor(text);
    editor.setDecorations = (_, ranges) => void drawn.push(...(ranges as readonly Drawn[]));
    const edit = { offset: text.indexOf(old), old, text: fresh };
    const drawing = drawingOf(editor.document as never, edit) ?? assert.fail();
    new View().show(editor as never, { drawing, isDrawn: true, hint: undefined });
    window.activeTextEditor = undefined;
    return drawn;
  }

  it('draws new lines after the line above, and those above the first line before it', () => {
    for (const [old, fresh, line, character] of [
      ['c;', 'b;\nc;', 0, 5],
      ['aaaa;', 'b;\naaaa;', 0, 0],
    ] as const) {
      const [added] = shown('aaaa;\nc;\n', old, fresh).filter(({ renderOptions }) => renderOptions);
      assert.equal(added?.renderOptions?.after.contentText.replaceAll('\u00a0', ' '), '⏎ b;');
      assert.deepEqual({ ...added?.range.start }, { line, character });
    }
  });

  it('has the change in a hover, with links to accept and to dismiss it', () => {
    const [mark] = shown('a;\nc;\n', 'c;', 'd;').filter(({ hoverMessage }) => hoverMessage);
    assert.match(mark?.hoverMessage?.value ?? '', /-c;\n\+d;/);
    assert.deepEqual(mark?.hoverMessage?.isTrusted, {
      enabledCommands: ['flashline.nextEdit.accept', 'flashline.nextEdit.dismiss'],
    });
    assert.deepEqual([mark?.range.start.line, mark?.range.end.line, mark?.range.end.character], [1, 1, 2]);
  });
});
