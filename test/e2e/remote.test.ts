// A remote engine as a user meets it: the question before anything is sent, ghost text from another process, where the
// text goes in the status bar, and what shows when nobody is there. No pair can be loaded in its place.
import assert from 'node:assert/strict';
import { EXAMPLES, examplePlace } from '../editor/examplePlace';
import { Session } from '../editor/session';
import { until } from '../editor/waiting';
import { servedProcess, type ServedProcess } from '../remote/servedProcess';
import { shootFailure } from './failureShots';
import { sharedVscode } from './sharedVscode';

describe('a remote engine', () => {
  let engine: ServedProcess;
  let session: Session;
  let host: string;
  before(async () => {
    engine = await servedProcess();
    host = new URL(engine.url).host;
    const settings = {
      'flashline.remote.url': engine.url,
      'flashline.remote.tokenizer': 'built-in',
      'flashline.target': '/nowhere',
      'flashline.load': 'firstUse',
      'flashline.prefetch': 'never',
    };
    const server = await sharedVscode();
    session = await Session.open({ server, name: 'remote', copyOf: EXAMPLES, settings, waitFor: 'server' });
  });
  afterEach(async function () {
    await shootFailure(session, this.currentTest);
  });
  after(async () => {
    await engine.stop();
    await session.close();
  });

  async function ask(place: string): Promise<void> {
    const { file, offset } = examplePlace(place);
    await session.probe.show(session.profile.file(file), offset);
    await session.workbench.ghost.first().waitFor({ state: 'detached' });
    await session.workbench.press('Alt+\\');
  }

  async function status(what: string, state: string) {
    return await until(what, async () => {
      const now = await session.probe.state();
      return now.status.state === state && now;
    });
  }

  it('gets nothing before the user agrees', async () => {
    const dialog = session.workbench.page.locator('.monaco-dialog-box');
    await dialog.filter({ hasText: `Send parts of your files to ${host}?` }).waitFor();
    assert.match((await dialog.textContent()) ?? '', /flashline\.remote\.url.*a tunnel may lead/);
    const { serverStatus } = await session.probe.state();
    assert.equal(serverStatus?.host, undefined);
    assert.equal(engine.lines.length, 0, engine.lines.join());
    await session.workbench.dialogButton('Allow').click();
    const { status: shown } = await status('it may be used', 'asleep');
    await until('the status names it', async () => (await session.probe.state()).status.text.includes(host));
    assert.equal(shown.state, 'asleep');
  });

  it('gives ghost text, and the status bar says where the text goes', async () => {
    await ask('matrix.py:42:18');
    assert.match(await session.workbench.suggestion(), /\S/);
    const { serverStatus, status: shown } = await status('it is ready', 'ready');
    assert.equal(serverStatus?.model?.remote?.host, host);
    assert.ok(shown.text.startsWith('$(cloud-upload) ') && shown.text.includes(host), shown.text);
    assert.match(shown.tooltip, /which receives parts of your open files/);
    await session.workbench.status.filter({ hasText: host }).waitFor();
    assert.ok(engine.lines.some((line) => line.includes('/v1/completions')));
  });

  it('leaves a quiet reason when it is gone', async () => {
    await engine.stop();
    await ask('lruCache.py:24:23');
    const { status: shown } = await status('it cannot be used', 'unreachable');
    assert.match(shown.label, /ECONNREFUSED|other side closed|ECONNRESET/);
    await session.workbench.status.filter({ hasText: `cannot reach ${host}` }).waitFor();
    assert.equal(await session.workbench.notifications.count(), 0);
  });

  it('is not used any more once the user says so', async () => {
    await session.workbench.palette('Flashline: Remote Engine');
    await session.workbench.pickRows.filter({ hasText: 'Stop using the remote engine' }).click();
    await status('there is no pair to fall back to', 'error');
    assert.equal((await session.probe.state()).serverStatus?.host, undefined);
  });
});
