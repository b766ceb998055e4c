// A server that dies is started again, and what was open completes as before.
import assert from 'node:assert/strict';
import type { FlashlineApi } from '../../../src/extension';
import { until } from '../../editor/waiting';
import { closeEditors, flashline, rowsOf, showExample, trigger, untilChanged } from '../flashline';

describe('recovery', () => {
  let api: FlashlineApi;
  before(async () => {
    api = await flashline();
  });
  afterEach(closeEditors);

  it('completes again after SIGKILL', async () => {
    const editor = await showExample('shoppingCart.ts', 20, 22, 'recovered.ts');
    const killed = api.serverProcessId();
    assert.ok(killed);
    process.kill(killed, 'SIGKILL');
    await until('the status tells', () => api.status().state === 'starting');
    await until('the server runs again', () => {
      const id = api.serverProcessId();
      return id !== undefined && id !== killed && api.serverStatus()?.state === 'ready';
    });
    await trigger();
    await untilChanged(editor, 'editor.action.inlineSuggest.commit');
    assert.ok(rowsOf(api, 'recovered.ts').some(({ outcome }) => outcome === 'shown'));
  });
});
