// Tests Restricted Mode: no request reaches the engine from an untrusted folder.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { FlashlineApi } from '../../../src/extension';
import { until } from '../../editor/waiting';
import { flashline, showExample, trigger, type } from '../flashline';

describe('untrusted folder', () => {
  let api: FlashlineApi;
  before(async () => {
    api = await flashline('asleep');
  });

  // By now a request would have reached the engine.
  after(() => {
    assert.deepEqual(api.rows(), []);
  });

  it('offers no chat model in an untrusted folder', async () => {
    assert.equal(vscode.workspace.isTrusted, false);
    assert.deepEqual(await vscode.lm.selectChatModels({ vendor: 'flashline' }), []);
  });

  it('sends no request from an untrusted folder, and shows why', async () => {
    await showExample('shoppingCart.ts', 20, 22, 'untrusted.ts');
    // VS Code calls all providers at the same time, so Flashline's has been called once this one is.
    let requestCount = 0;
    const provider = vscode.languages.registerInlineCompletionItemProvider('*', {
      provideInlineCompletionItems: () => {
        requestCount += 1;
        return [];
      },
    });
    await trigger();
    await type(' ');
    await until('VS Code requests suggestions', () => requestCount > 0);
    provider.dispose();
    assert.deepEqual(api.rows(), []);
    assert.equal(api.status().state, 'paused');
    assert.match(api.status().reason, /trust/i);
    assert.equal(api.serverStatus()?.state, 'asleep', 'a model is in memory');
  });

  it('generates and edits nothing in an untrusted folder', async () => {
    const editor = await showExample('shoppingCart.ts', 20, 22, 'ungenerated.ts');
    const before = editor.document.getText();
    await vscode.commands.executeCommand('flashline.generate', 'a class');
    await vscode.commands.executeCommand('flashline.edit', 'rename it');
    assert.equal(editor.document.getText(), before);
    assert.deepEqual(api.rows(), []);
  });
});
