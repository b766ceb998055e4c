// Of windows that share a server, none takes the models from another when it goes. That they are in memory once is tested
// with two windows of VS Code, in test/e2e/twoWindows.test.ts.
import assert from 'node:assert/strict';
import type { EditorClient } from '../lsp/editorClient';
import { closeWindow, SharedWindows } from './sharedWindows';

/** Longer than any test takes. */
const LINGER_MS = 900_000;
const SETTINGS = { debounceMs: 0, prefetch: 'never', device: 'cpu', useOpenFiles: false };
const ADD = 'function add(a: number, b: number) {\n  return a +║;\n}\n';

describe('windows that share a server', () => {
  let windows: SharedWindows;
  let opened = 0;
  beforeEach(() => {
    windows = new SharedWindows(LINGER_MS);
  });
  afterEach(() => {
    windows.remove();
  });

  async function assertCompletes(client: EditorClient): Promise<void> {
    assert.equal(await client.text(await client.open(`add${(opened += 1)}.ts`, ADD)), ' b');
  }

  it('complete on whichever closes or is killed, and find the models still loaded when they come back', async () => {
    const [first, second] = [await windows.open(SETTINGS), await windows.open(SETTINGS)];
    await assertCompletes(first.client);
    await assertCompletes(second.client);
    await closeWindow(first);
    await assertCompletes(second.client);
    const third = await windows.open(SETTINGS);
    await assertCompletes(third.client);
    second.socket.destroy();
    await assertCompletes(third.client);
    third.socket.destroy();

    const again = await windows.open({ ...SETTINGS, load: 'start' });
    await again.client.until(() => again.client.status?.state === 'ready');
    const states = again.client.statuses.map(({ state, progress }) => ({ state, progress }));
    assert.ok(!states.some(({ state }) => state === 'loading'), JSON.stringify(states));
    assert.equal(again.processId, first.processId);
  });
});
