// In Restricted Mode no chat model is offered.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { flashline } from '../flashline';

describe('chat models in Restricted Mode', () => {
  it('are not offered', async () => {
    await flashline('asleep');
    assert.equal(vscode.workspace.isTrusted, false);
    assert.deepEqual(await vscode.lm.selectChatModels({ vendor: 'flashline' }), []);
  });
});
