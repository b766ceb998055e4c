// Tests that two windows of VS Code share one server, so the models are in memory once. Takes minutes, so it runs
// nightly; test/lsp/sharedModels.test.ts tests shared models without VS Code.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { examplePlace } from '../editor/examplePlace';
import { Session } from '../editor/session';
import { until } from '../editor/waiting';
import { fullSize } from '../support/fullSize';
import './failureShots';

/** Limit of the memory with two windows, as a multiple of one; two servers would need 2. */
const MAX_GROWTH = 1.25;

describe('two windows of VS Code', () => {
  let first: Session;
  let second: Session;
  let shown = 0;
  before(async function () {
    if (!fullSize) this.skip();
    first = await Session.open({});
  });
  after(async () => {
    if (!fullSize) return;
    await first.close();
    await until('the server has ended with its folder', () => servers().length === 0);
  });

  /** Shows ghost text in a document that is new to the server. */
  async function complete({ probe, workbench, profile }: Session, folder: string): Promise<void> {
    const { file, text, offset } = examplePlace('matrix.py:42:18');
    const path = join(folder, file.replace('.', `${(shown += 1)}.`));
    profile.write(path, text);
    await probe.show(path, offset);
    await workbench.ghost.first().waitFor({ state: 'detached' });
    await workbench.press('Alt+\\');
    await workbench.suggestion();
  }

  /** Returns the language servers of this profile. */
  function servers(): { processId: number; megabytes: number }[] {
    const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,rss=,args='], { encoding: 'utf8' }).split(
      '\n',
    );
    const serverLines = lines.filter((line) => line.includes(join(first.profile.root, 'flashline/')));
    return serverLines.map((line) => {
      const [processId = 0, kilobytes = 0] = line.trim().split(/\s+/, 2).map(Number);
      return { processId, megabytes: kilobytes / 1024 };
    });
  }

  async function serverOf({ probe }: Session): Promise<number | undefined> {
    return (await probe.state()).serverProcessId;
  }

  it('share one language server, whose memory hardly grows with the second window', async () => {
    await complete(first, first.profile.folder);
    const [forOne, ...moreForOne] = servers();
    assert.ok(forOne !== undefined && moreForOne.length === 0);
    const folder = join(first.profile.root, 'other');
    mkdirSync(folder);
    second = await first.openWindow(folder);
    await complete(second, folder);
    const [forBoth, ...moreForBoth] = servers();
    assert.ok(forBoth !== undefined && moreForBoth.length === 0);
    assert.deepEqual([await serverOf(first), await serverOf(second)], [forOne.processId, forOne.processId]);
    assert.ok(forBoth.megabytes < MAX_GROWTH * forOne.megabytes);
  });

  it('move to one new server after a restart by one of them, and after a kill', async () => {
    const ends = [
      () => first.probe.command('flashline.restart'),
      (processId: number) => process.kill(processId, 'SIGKILL'),
    ];
    for (const end of ends) {
      const before = await serverOf(first);
      assert.ok(before);
      await end(before);
      for (const window of [first, second]) {
        await until('another server runs', async () => ![before, undefined].includes(await serverOf(window)));
        await window.ready();
      }
      assert.equal(await serverOf(first), await serverOf(second));
    }
    await until('only one server runs', () => servers().length === 1);
    await complete(first, first.profile.folder);
  });
});
