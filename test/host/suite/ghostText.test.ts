// Ghost text with the built-in model, through the editor's own commands.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { FlashlineApi } from '../../../src/extension';
import { until } from '../../editor/waiting';
import { closeEditors, flashline, rowsOf, showExample, trigger, type, untilChanged } from '../flashline';

const COMMIT = 'editor.action.inlineSuggest.commit';
const NEXT_WORD = 'editor.action.inlineSuggest.acceptNextWord';

describe('ghost text', () => {
  let api: FlashlineApi;
  before(async () => {
    api = await flashline();
  });
  afterEach(closeEditors);

  it('comes on request and is taken whole', async () => {
    const editor = await showExample('shoppingCart.ts', 20, 22, 'whole.ts');
    const { accepted } = api.acceptance();
    const before = editor.document.getText();
    const cursor = editor.document.offsetAt(editor.selection.active);
    await trigger();
    const after = await untilChanged(editor, COMMIT);
    assert.ok(after.length > before.length);
    assert.ok(after.startsWith(before.slice(0, cursor)), 'the text before the cursor stays');
    // What was taken may have been the beginning of it.
    await until('the request is reported', () =>
      rowsOf(api, 'whole.ts').some(({ outcome }) => outcome === 'shown'),
    );
    await until('the acceptance is counted', () => api.acceptance().accepted === accepted + 1);
  });

  it('is taken word by word', async () => {
    const whole = await showExample('matrix.py', 42, 18, 'words.py');
    await trigger();
    const full = await untilChanged(whole, COMMIT);
    const editor = await showExample('matrix.py', 42, 18, 'words2.py');
    const before = editor.document.getText();
    await trigger();
    const first = await untilChanged(editor, NEXT_WORD);
    assert.ok(first.length > before.length && first.length <= full.length);
  });

  it('stays away where the language is switched off', async () => {
    await showExample('lruCache.py', 24, 23, 'off.py');
    await vscode.commands.executeCommand('flashline.toggleLanguage');
    try {
      await until('the status is paused', () => api.status().state === 'paused');
      await trigger();
      // Once a request elsewhere has come through, one of this file would have, too.
      await showExample('shoppingCart.ts', 20, 22, 'on.ts');
      await trigger();
      await until('a request is reported', () => rowsOf(api, 'on.ts').length > 0);
      assert.deepEqual(rowsOf(api, 'off.py'), []);
    } finally {
      await showExample('lruCache.py', 24, 23, 'off.py');
      await vscode.commands.executeCommand('flashline.toggleLanguage');
    }
    await until('the status is ready', () => api.status().state === 'ready');
    // At the same place VS Code would not ask again.
    await type('s');
    await until('a request is reported', () => rowsOf(api, 'off.py').length > 0);
  });
});
