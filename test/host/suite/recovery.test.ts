// Tests restarts of the server, and a server that the window does not share; test/e2e/twoWindows.test.ts kills servers.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as vscode from 'vscode';
import type { FlashlineApi } from '../../../src/extension';
import { isAlive } from '../../../server/machine/isAlive';
import { until } from '../../editor/waiting';
import { flashline } from '../flashline';

describe('recovery', () => {
  let api: FlashlineApi;
  before(async () => {
    api = await flashline();
  });

  it('restarts the server in another process without showing a crash', async () => {
    const before = api.serverProcessId();
    assert.ok(before);
    const reasons = new Set<string>();
    const watch = setInterval(() => reasons.add(api.status().reason), 1);
    await vscode.commands.executeCommand('flashline.restart');
    assert.ok(!isAlive(before));
    await anotherServer(before);
    clearInterval(watch);
    assert.ok(reasons.has('The server is restarting.'), [...reasons].join());
    assert.deepEqual(
      [...reasons].filter((reason) => reason.includes('crash')),
      [],
    );
  });

  it('uses a separate server while sharing is off, and then returns to the shared server', async () => {
    const shared = api.serverProcessId();
    assert.ok(shared !== undefined && isShared(shared));
    const setting = vscode.workspace.getConfiguration('flashline');
    await setting.update('shareServer', false, vscode.ConfigurationTarget.Global);
    const separate = await anotherServer(shared);
    assert.ok(!isShared(separate));
    await setting.update('shareServer', undefined, vscode.ConfigurationTarget.Global);
    assert.ok(isShared(await anotherServer(separate)));
    await until('the separate server has ended', () => !isAlive(separate));
  });

  /** Waits for a server other than the previous one to load its model, and returns its process id. */
  async function anotherServer(previous: number): Promise<number> {
    return await until('another server runs', () => {
      const id = api.serverProcessId();
      return id !== previous && api.serverStatus()?.state === 'ready' && id;
    });
  }
});

function isShared(processId: number): boolean {
  return execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(processId)], { encoding: 'utf8' }).includes(
    ' --socket ',
  );
}
