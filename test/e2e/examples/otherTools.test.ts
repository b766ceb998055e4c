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

  /** Returns the address from the message, which stays in the list of messages after its toast has gone. */
  async function shownAddress(): Promise<string> {
    const { probe, workbench } = session;
    const messages = workbench.page.locator('.notifications-center .notification-list-item');
    const address = await until('a message names the address', async () => {
      // VS Code closes the list when the last message in it goes, such as one about progress.
      await probe.command('notifications.showList');
      const texts = await messages.filter({ hasText: 'Other tools on this machine' }).allTextContents();
      return ADDRESS.exec(texts[0] ?? '')?.[0];
    });
    await probe.command('notifications.hideList');
    return address;
  }

  it('is started by a command, names its address in a message, and is stopped by the same command', async () => {
    const { workbench } = session;
    await workbench.palette(TOGGLE);
    const address = await shownAddress();
    assert.deepEqual(await (await fetch(`${address}/health`)).json(), { status: 'ok' });
    const response = await fetch(`${address}/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'def add(a, b):\n    return', max_tokens: 3 }),
    });
    assert.match(await response.text(), /"text":" a \+ b"/);
    await workbench.palette(TOGGLE);
    await until('the server for other tools has stopped', () =>
      fetch(`${address}/health`).then(
        () => false,
        () => true,
      ),
    );
  });
});
