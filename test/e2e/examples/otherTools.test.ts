// Tests the server for other tools as a user starts and stops it from the Command Palette.
import assert from 'node:assert/strict';
import type { Session } from '../../editor/session';
import { until } from '../../editor/waiting';
import { examplesWindow } from '../sharedVscode';

const TOGGLE = 'Flashline: Toggle Server for Other Tools';
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;

describe('the server for other tools in the editor', () => {
  let session: Session;
  before(async () => {
    session = await examplesWindow();
  });

  it('starts and stops by its commands, at the address in the message', async () => {
    const { probe, workbench } = session;
    await workbench.palette(TOGGLE);
    // A toast disappears after some seconds, but a message in the list of notifications does not.
    await probe.command('notifications.showList');
    const messages = workbench.page.locator('.notifications-center .notification-list-item');
    const message = messages.filter({ hasText: 'Other tools on this machine' }).first();
    const [address] = ADDRESS.exec((await message.textContent()) ?? '') ?? assert.fail();
    await probe.command('notifications.hideList');
    assert.deepEqual(await (await fetch(`${address}/health`)).json(), { status: 'ok' });
    const response = await fetch(`${address}/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'def add(a, b):\n    return', max_tokens: 3 }),
    });
    assert.match(await response.text(), /"text":" a \+ b"/);
    await workbench.palette(TOGGLE);
    await until('it has stopped', () =>
      fetch(`${address}/health`).then(
        () => false,
        () => true,
      ),
    );
  });
});
