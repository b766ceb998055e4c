// Tests the scope of settings for models, the device and the Hub: those of the user apply, not those of the remote
// machine or the folder.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Session } from '../editor/session';
import { until } from '../editor/waiting';
import { HubServer } from '../support/hub/hubServer';
import { sharedVscode } from './sharedVscode';

describe('settings of user, machine and folder', () => {
  it('load the model of the user settings, and ask the Hub of the user alone', async () => {
    const [userHub, otherHub] = [await HubServer.start({}), await HubServer.start({})];
    const names = ['target', 'drafter', 'device', 'hub.endpoint', 'hub.proxy'];
    const settings = (...values: readonly string[]) =>
      Object.fromEntries(values.map((value, i) => [`flashline.${names[i] ?? ''}`, value]));
    const otherSettings = settings('/nowhere', '/nowhere', 'gpu', otherHub.url, otherHub.url);
    const session = await Session.open({
      server: await sharedVscode(),
      name: 'scopes',
      files: { 'a.ts': 'const a = 1;\n', '.vscode/settings.json': JSON.stringify(otherSettings) },
      settings: settings(join(process.cwd(), 'media/model/target'), 'none', 'cpu', userHub.url),
      machineSettings: otherSettings,
    });
    const { probe, workbench } = session;
    const { serverStatus } = await probe.state();
    assert.equal(serverStatus?.fallback, undefined);
    const { target, drafter, device } = serverStatus?.model ?? assert.fail();
    assert.deepEqual([target, drafter, device], ['target', undefined, 'cpu']);
    await workbench.palette('Flashline: Models');
    await workbench.pickRows.filter({ hasText: 'Built-in pair' }).waitFor();
    await workbench.type('Another Hugging Face', 1);
    await workbench.press('Enter');
    await workbench.page.locator('.quick-input-title', { hasText: 'another Hugging Face' }).waitFor();
    await workbench.type('some/model', 1);
    await workbench.press('Enter');
    await until('the Hub is asked', () => userHub.requests.length > 0);
    assert.deepEqual(otherHub.requests, []);
    await session.close();
  });
});
