// Tests the generate command: text streams in, and one undo removes it.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../../editor/waiting';
import { closeEditors, flashline, rowsOf, show } from '../flashline';
import type { FlashlineApi } from '../../../src/extension';

// Any model continues this list at length.
const START = "export const MONTHS = [\n  'January',\n‸";
const INSTRUCTION = 'the other months';

describe('generate', () => {
  let api: FlashlineApi;
  before(async () => {
    api = await flashline();
  });
  afterEach(closeEditors);

  it('streams generated code into the editor as one undo step', async () => {
    const { document } = await show('generated.ts', START);
    const before = document.getText();
    let changes = 0;
    const watch = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && event.contentChanges.length > 0) changes += 1;
    });
    await vscode.commands.executeCommand('flashline.generate', INSTRUCTION);
    watch.dispose();
    const generated = document.getText();
    assert.ok(generated.startsWith(before.trimEnd()) && generated.length > before.length + 20, generated);
    assert.ok(changes > 1, `the text came in ${changes} pieces`);
    const row = await until('the request is reported', () => rowsOf(api, 'generated.ts').at(-1));
    assert.equal(row.kind, 'generate');
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), before);
    await vscode.commands.executeCommand('redo');
    assert.equal(document.getText(), generated);
  });

  it('stops generating when the document changes, and keeps the text so far', async () => {
    const editor = await show('edited.ts', START);
    const before = editor.document.getText();
    const running = vscode.commands.executeCommand('flashline.generate', INSTRUCTION);
    await until('some text has arrived', () => editor.document.getText().length > before.length);
    // VS Code refuses an edit while it applies another one.
    const type = (edit: vscode.TextEditorEdit): void => edit.insert(new vscode.Position(0, 0), '//\n');
    await until('a line is typed', async () => await editor.edit(type));
    const typed = editor.document.getText();
    await running;
    assert.equal(editor.document.getText(), typed);
    assert.ok(typed.length > before.length + 3);
  });

  it('keeps the generated text when its document is hidden and the request then cancelled', async () => {
    const { document } = await show('hidden.ts', START);
    const before = document.getText();
    const running = vscode.commands.executeCommand('flashline.generate', INSTRUCTION);
    await until('some text has arrived', () => document.getText().length > before.length);
    await show('other.ts', '‸');
    const hidden = document.getText();
    await vscode.commands.executeCommand('flashline.cancelGenerate');
    await running;
    assert.equal(document.getText(), hidden);
    assert.ok(hidden.length > before.length);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), before);
  });
});
