// The hint of a next edit in a real window: it appears after a rename, leads to the place, makes the edit, and can be
// hidden.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { FlashlineApi } from '../../../src/extension';
import { until } from '../../editor/waiting';
import { closeEditors, flashline, show, type } from '../flashline';

const CODE = `let ‸size = 1;\nuse(size);\nuse(size);\n`;

describe('next edit', () => {
  let api: FlashlineApi;
  const set = (on: boolean | undefined): Thenable<void> =>
    vscode.workspace.getConfiguration('flashline').update('nextEdit', on, vscode.ConfigurationTarget.Global);
  before(async () => {
    api = await flashline();
    await set(true);
  });
  afterEach(closeEditors);
  after(() => set(undefined));

  async function renamed(file: string): Promise<vscode.TextEditor> {
    const editor = await show(file, CODE);
    editor.selection = new vscode.Selection(0, 4, 0, 8);
    await type('width');
    return editor;
  }

  const shownAt = (line: number): Promise<unknown> =>
    until(`a hint in line ${line}`, () => api.nextEdit()?.range.start.line === line);

  it('is followed from place to place', async () => {
    const editor = await renamed('next1.ts');
    await shownAt(1);
    const follow = (): Thenable<unknown> => vscode.commands.executeCommand('flashline.followNextEdit');
    await follow();
    assert.deepEqual(editor.selection.active, new vscode.Position(1, 4));
    assert.ok(editor.document.getText().includes('use(size);\nuse(size);'), 'it is not made yet');
    await shownAt(1);
    await follow();
    assert.equal(editor.document.getText(), 'let width = 1;\nuse(width);\nuse(size);\n');
    await shownAt(2);
    await follow();
    await follow();
    assert.equal(editor.document.getText(), 'let width = 1;\nuse(width);\nuse(width);\n');
    assert.equal(api.nextEdit(), undefined);
  });

  it('does not come back once it was hidden, until there is another edit', async () => {
    const editor = await renamed('next2.ts');
    await shownAt(1);
    await vscode.commands.executeCommand('flashline.hideNextEdit');
    assert.equal(api.nextEdit(), undefined);
    editor.selection = new vscode.Selection(2, 4, 2, 8);
    await type('height');
    await until('a hint for the other name', () => api.nextEdit()?.newText === 'height');
  });

  it('goes when the cursor leaves', async () => {
    const editor = await renamed('next3.ts');
    await shownAt(1);
    editor.selection = new vscode.Selection(2, 0, 2, 0);
    await until('the hint is gone', () => api.nextEdit() === undefined);
  });
});
