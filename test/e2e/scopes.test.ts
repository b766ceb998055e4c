// Whose settings count: the user's own, and neither those of the machine that the window works on nor those of the
// folder, for what names models, the device, memory and the Hub.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Session } from '../editor/session';
import { until } from '../editor/waiting';
import { HubServer } from '../support/hub/hubServer';
import { shootFailure } from './failureShots';
import { sharedVscode } from './sharedVscode';

describe('settings of user, machine and folder', () => {
  let own: HubServer;
  let foreign: HubServer;
  let session: Session;
  before(async () => {
    own = await HubServer.start({});
    foreign = await HubServer.start({});
    const others = {
      'flashline.target': '/nowhere',
      'flashline.drafter': '/nowhere',
      'flashline.device': 'gpu',
      'flashline.hub.endpoint': foreign.url,
      'flashline.hub.proxy': foreign.url,
    };
    session = await Session.open({
      server: await sharedVscode(),
      name: 'scopes',
      files: { 'a.ts': 'const a = 1;\n', '.vscode/settings.json': JSON.stringify(others) },
      settings: {
        'flashline.target': join(process.cwd(), 'media/model/target'),
        'flashline.drafter': 'none',
        'flashline.device': 'cpu',
        'flashline.hub.endpoint': own.url,
      },
      machineSettings: others,
    });
  });
  afterEach(async function () {
    await shootFailure(session, this.currentTest);
  });
  after(async () => {
    await session.close();
    await own.close();
    await foreign.close();
  });

  it('load the model that the user has chosen', async () => {
    const { serverStatus } = await session.probe.state();
    assert.equal(serverStatus?.fallback, undefined);
    const { target, drafter, device } = serverStatus?.model ?? assert.fail();
    assert.deepEqual([target, drafter, device], ['target', undefined, 'cpu']);
  });

  it('ask the Hub of the user alone', async () => {
    const { workbench } = session;
    await workbench.palette('Flashline: Models');
    await workbench.pickRows.filter({ hasText: 'Built-in pair' }).waitFor();
    await workbench.type('Another Hugging Face', 1);
    await workbench.press('Enter');
    await workbench.page.locator('.quick-input-title', { hasText: 'another Hugging Face' }).waitFor();
    await workbench.type('some/model', 1);
    await workbench.press('Enter');
    await until('the Hub is asked', () => own.asked.length > 0);
    assert.deepEqual(foreign.asked, []);
  });
});
