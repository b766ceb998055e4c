// Restricted Mode: in a folder that nobody trusts, nothing reaches the engine.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { FlashlineApi } from '../../../src/extension';
import { pause } from '../../editor/waiting';
import { flashline, showExample, trigger, type } from '../flashline';

/** Several times what a request needs. */
const LONG_MS = 1500;

describe('untrusted folder', () => {
  let api: FlashlineApi;
  before(async () => {
    api = await flashline();
  });

  it('is untrusted', () => {
    assert.equal(vscode.workspace.isTrusted, false);
  });

  it('lets no request reach the engine, and says why', async () => {
    await showExample('shoppingCart.ts', 20, 22, 'untrusted.ts');
    await trigger();
    await type(' ');
    await pause(LONG_MS);
    assert.deepEqual(api.rows(), []);
    assert.equal(api.status().state, 'paused');
    assert.match(api.status().reason, /trust/i);
  });

  it('does not generate either', async () => {
    const editor = await showExample('shoppingCart.ts', 20, 22, 'ungenerated.ts');
    const before = editor.document.getText();
    await vscode.commands.executeCommand('flashline.generate', 'a class');
    assert.equal(editor.document.getText(), before);
    assert.deepEqual(api.rows(), []);
  });
});
