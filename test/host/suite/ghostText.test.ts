// Ghost text with the built-in model, through the editor's own commands.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { FlashlineApi } from '../../../src/extension';
import { until } from '../../editor/waiting';
import {
  closeEditors,
  flashline,
  rowsOf,
  show,
  showExample,
  trigger,
  type,
  untilChanged,
} from '../flashline';

const COMMIT = 'editor.action.inlineSuggest.commit';

describe('ghost text', () => {
  let api: FlashlineApi;
  before(async () => {
    api = await flashline();
  });
  afterEach(closeEditors);

  it('shows ghost text on request and accepts all of it', async () => {
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

  for (const what of ['toggle', 'toggleLanguage'])
    it(`shows no ghost text after flashline.${what} has switched it off`, async () => {
      const off = `${what}.py`;
      await showExample('lruCache.py', 24, 23, off);
      await vscode.commands.executeCommand(`flashline.${what}`);
      try {
        await until('the status is paused', () => api.status().state === 'paused');
        await trigger();
        await type(' ');
        // VS Code asks a moment after the key: if the file is still open then, perhaps when Flashline is on again.
        await closeEditors();
      } finally {
        await show(`${what}Again.py`, '‸');
        await vscode.commands.executeCommand(`flashline.${what}`);
      }
      await until('the status is ready', () => api.status().state === 'ready');
      // Once this request has come through, one from before would have, too.
      const on = `${what}.ts`;
      await showExample('shoppingCart.ts', 20, 22, on);
      await trigger();
      await until('a request is reported', () => rowsOf(api, on).length > 0);
      assert.deepEqual(rowsOf(api, off), []);
    });
});
