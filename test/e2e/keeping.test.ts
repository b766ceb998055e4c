// Suggestions that are not shown: those that Escape has dismissed, and those that are unlikely to be kept. Asked for, they
// come.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { EXAMPLES, examplePlace } from '../editor/examplePlace';
import { Session } from '../editor/session';
import { until } from '../editor/waiting';
import type { Workbench } from '../editor/workbench';
import { shootFailure } from './failureShots';
import { sharedVscode } from './sharedVscode';

/** In which a suggestion that is known already would be there again. */
const LOOKS = 15;

describe('suggestions that stay hidden', () => {
  let session: Session;
  let workbench: Workbench;
  before(async () => {
    session = await Session.open({
      server: await sharedVscode(),
      name: 'keeping',
      copyOf: EXAMPLES,
      settings: { 'flashline.prefetch': 'never' },
    });
    workbench = session.workbench;
  });
  afterEach(async function () {
    await shootFailure(session, this.currentTest);
    await session.probe.command('workbench.action.files.saveAll');
    await session.probe.command('workbench.action.closeAllEditors');
  });
  after(async () => {
    await session.close();
  });

  async function open(place: string, name: string): Promise<void> {
    const { text, offset } = examplePlace(place);
    const path = session.profile.file(name);
    session.profile.write(path, text);
    await session.probe.show(path, offset);
    await workbench.editor.waitFor();
  }

  it('are those that Escape has dismissed at a place, until they are asked for', async () => {
    await open('shoppingCart.ts:20:22', 'dismissed.ts');
    await workbench.type(')');
    const ghost = await workbench.suggestion();
    await workbench.press('Escape');
    await until('it is gone', async () => (await workbench.ghostText()) === '');
    await workbench.type(' ');
    await workbench.press('Backspace');
    for (let look = 0; look < LOOKS; look++) {
      assert.notEqual((await workbench.ghostText()).split('\n')[0], ghost.split('\n')[0]);
      await pause(100);
    }
    await workbench.press('Alt+\\');
    await until('it comes when it is asked for', async () =>
      (await workbench.ghostText()).startsWith(ghost.split('\n')[0] ?? '?'),
    );
  });

  it('are all below the threshold, until they are asked for', async () => {
    await session.probe.setting('flashline.hideBelow', 100);
    try {
      await open('matrix.py:42:18', 'unlikely.py');
      // The server hears of the setting a little later.
      await until('a suggestion is hidden', async () => {
        await workbench.type(' ');
        await pause(300);
        const { rows } = await session.probe.state();
        return rows.some(({ file, outcome }) => file === 'unlikely.py' && outcome === 'hidden');
      });
      await until('nothing is shown', async () => (await workbench.ghostText()) === '');
      await workbench.press('Alt+\\');
      assert.notEqual(await workbench.suggestion(), '');
    } finally {
      await session.probe.setting('flashline.hideBelow', 0);
    }
  });
});
