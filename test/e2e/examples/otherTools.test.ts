// The server for other tools as a user starts and stops it: from the Command Palette, and with its address in the menu.
import assert from 'node:assert/strict';
import type { Session } from '../../editor/session';
import { until } from '../../editor/waiting';
import { shootFailure } from '../failureShots';
import { examplesWindow } from '../sharedVscode';

const TOGGLE = 'Flashline: Toggle Server for Other Tools';
/** A port that is free has five digits; in the text of a row more may stand right behind it. */
const ADDRESS = /http:\/\/127\.0\.0\.1:\d{5}/;

describe('the server for other tools in the editor', () => {
  let session: Session;
  before(async () => {
    session = await examplesWindow();
  });
  afterEach(async function () {
    await shootFailure(session, this.currentTest);
  });

  /** The item of the menu about the server. */
  async function menuItem(): Promise<string> {
    await session.probe.command('workbench.action.closeQuickOpen');
    await session.workbench.palette('Flashline: Show Menu');
    // With small letters: the palette has the commands of that name.
    const item = session.workbench.pickRows.filter({ hasText: /(Start|Stop) the server for other tools/ });
    await item.waitFor();
    const text = (await item.textContent()) ?? '';
    await session.workbench.press('Escape');
    await item.waitFor({ state: 'hidden' });
    return text;
  }

  it('is off until it is started, and on until it is stopped', async () => {
    assert.match(await menuItem(), /Start the server/);
    await session.workbench.palette(TOGGLE);
    const address = await until('the menu has its address', async () => ADDRESS.exec(await menuItem())?.[0]);
    // A toast is gone after some seconds, a message in the list is not.
    await session.probe.command('notifications.showList');
    const message = session.workbench.page.locator('.notifications-center .notification-list-item');
    await message.filter({ hasText: 'Other tools on this machine' }).filter({ hasText: address }).waitFor();
    await session.probe.command('notifications.hideList');
    assert.deepEqual(await (await fetch(`${address}/health`)).json(), { status: 'ok' });
    const response = await fetch(`${address}/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'def add(a, b):\n    return', max_tokens: 3 }),
    });
    assert.match(await response.text(), /"text":" a \+ b"/);
    await session.workbench.palette(TOGGLE);
    await until('it has stopped', () =>
      fetch(`${address}/health`).then(
        () => false,
        () => true,
      ),
    );
    assert.match(await menuItem(), /Start the server/);
  });
});
