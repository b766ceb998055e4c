// Tests ghost text of the built-in model with the commands of the editor.
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
    assert.ok(after.startsWith(before.slice(0, cursor)), 'the text before the cursor has changed');
    // The accepted text can be only the first part of the suggestion, while its request still runs.
    await until('the request is reported', () =>
      rowsOf(api, 'whole.ts').some(({ outcome }) => outcome === 'shown'),
    );
    await until('the acceptance is counted', () => api.acceptance().accepted === accepted + 1);
  });

  for (const command of ['toggle', 'toggleLanguage'])
    it(`shows no ghost text after flashline.${command} has switched it off`, async () => {
      const fileWhileOff = `${command}.py`;
      await showExample('lruCache.py', 24, 23, fileWhileOff);
      await vscode.commands.executeCommand(`flashline.${command}`);
      try {
        await until('the status is paused', () => api.status().state === 'paused');
        await trigger();
        await type(' ');
        // Closes the file, as VS Code requests suggestions a moment after the key: Flashline could be on again by then.
        await closeEditors();
      } finally {
        await show(`${command}Again.py`, '‸');
        await vscode.commands.executeCommand(`flashline.${command}`);
      }
      await until('the status is ready', () => api.status().state === 'ready');
      // By the time this request is reported, an earlier one would be, too.
      const fileWhileOn = `${command}.ts`;
      await showExample('shoppingCart.ts', 20, 22, fileWhileOn);
      await trigger();
      await until('a request is reported', () => rowsOf(api, fileWhileOn).length > 0);
      assert.deepEqual(rowsOf(api, fileWhileOff), []);
    });
});
