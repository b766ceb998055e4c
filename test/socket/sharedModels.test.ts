// Windows that share a server have the models in memory once, and none takes them from another when it goes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { ServerProcess } from '../lsp/serverProcess';
import type { EditorClient } from '../lsp/editorClient';
import { closeWindow, SharedWindows } from './sharedWindows';

/** Longer than any test takes. */
const LINGER_MS = 900_000;
/** Two servers would have 2. */
const MAX_GROWTH = 1.25;
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

  it('have the models in memory once, where two servers have them twice', async () => {
    const first = await windows.open(SETTINGS);
    await assertCompletes(first.client);
    const one = megabytes(first.processId);
    const second = await windows.open(SETTINGS);
    await assertCompletes(second.client);
    assert.equal(second.processId, first.processId);
    const both = megabytes(first.processId);

    const own = ServerProcess.overIpc();
    await own.client.initialize(SETTINGS);
    await assertCompletes(own.client);
    const more = megabytes(own.child.pid ?? 0);
    own.kill();
    console.log(`      one window ${one} MB, two ${both} MB; with a server for each ${one + more} MB`);
    assert.ok(both < MAX_GROWTH * one);
    assert.ok(one + more > 1.6 * one);
  });

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

function megabytes(processId: number): number {
  return Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(processId)])) / 1024);
}
