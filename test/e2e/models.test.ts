// Tests how a user gets from a new profile to another model: walkthrough, picker, download, ghost text, the switch
// back, and an idle time. The hub is on this machine and slow enough to see the progress.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { formatSize } from '../../server/rules/formatNumber';
import { EXAMPLES, examplePlace } from '../editor/examplePlace';
import type { ProbeState } from '../editor/probe';
import { Session } from '../editor/session';
import { until } from '../editor/waiting';
import type { Workbench } from '../editor/workbench';
import { embeddedBytes, embeddedTarget } from '../support/embeddedFacts';
import { refuse, type HubServer } from '../support/hub/hubServer';
import { TOKEN } from '../support/hub/madeUpModel';
import { SLOW_PAIR, slowPair } from '../support/hub/slowPair';
import { sharedVscode } from './sharedVscode';

/** Bytes that the hub sends in each step: the largest file takes two and a half seconds. */
const BYTES_PER_STEP = Math.ceil(embeddedTarget.weightBytes / 50);
const NAME = 'Qwen3 4B 4-bit';
const [, REPOSITORY = ''] = SLOW_PAIR.target.split('/');

describe('models in the editor', () => {
  let hub: HubServer;
  let session: Session;
  let workbench: Workbench;
  /** Process id of the server before the first switch of models. */
  let serverProcessId: number | undefined;
  before(async () => {
    hub = await slowPair(BYTES_PER_STEP);
    const server = await sharedVscode();
    const firstSettings = { 'flashline.load': 'firstUse', 'flashline.hub.endpoint': hub.url };
    session = await Session.open({
      server,
      name: 'models',
      copyOf: EXAMPLES,
      settings: firstSettings,
      waitFor: 'server',
    });
    workbench = session.workbench;
    ({ serverProcessId } = await session.probe.state());
  });
  after(async () => {
    await session.close();
    await hub.close();
  });

  /** Waits until `holds` returns true; `condition` names that in the error. */
  async function stateWhen(condition: string, holds: (state: ProbeState) => unknown): Promise<ProbeState> {
    return await until(condition, async () => {
      const current = await session.probe.state();
      return holds(current) ? current : undefined;
    });
  }

  /** Returns the text of the user's settings, which name the models. */
  function settings(): string {
    return readFileSync(join(session.profile.user, 'User/settings.json'), 'utf8');
  }

  async function suggestion(place: string): Promise<string> {
    const { file, offset } = examplePlace(place);
    await session.probe.show(session.profile.file(file), offset);
    // The ghost text of the previous file can be there until this one is drawn.
    await workbench.ghost.first().waitFor({ state: 'detached' });
    await workbench.press('Alt+\\');
    return await workbench.suggestion();
  }

  async function pick(text: string): Promise<void> {
    await workbench.palette('Flashline: Models');
    await workbench.pickRows.filter({ hasText: 'Built-in pair' }).waitFor();
    await workbench.type(text, 1);
    await workbench.pickRows.filter({ hasText: text }).first().waitFor();
    await workbench.press('Enter');
  }

  it('stay unloaded until they are needed, as the status bar says', async () => {
    const { status } = await stateWhen(
      'no model is loaded',
      ({ serverStatus }) => serverStatus?.state === 'asleep',
    );
    assert.deepEqual([status.state, status.text], ['asleep', '$(circle-outline) Flashline']);
    assert.match(await suggestion('matrix.py:42:18'), /\S/);
    assert.match((await session.probe.state()).status.tooltip, /Model:\*\* built\\-in, on the CPU/);
  });

  it('are chosen from the walkthrough, and downloaded in the background', async () => {
    await session.probe.command('workbench.action.closeAllEditors');
    await session.probe.command('flashline.openWalkthrough');
    const { page } = workbench;
    await page.getByText('Choose a model and your settings').click();
    await page
      .getByRole('link', { name: 'Choose a Model' })
      .or(page.getByText('Choose a Model', { exact: true }))
      // The step about instructions, which is closed now, has such a button too.
      .last()
      .click();
    await workbench.pickRows.filter({ hasText: 'Built-in pair' }).waitFor();
    await workbench.type('Qwen3 4B 4-bit', 1);
    const row = workbench.pickRows.filter({ hasText: NAME }).first();
    await row.waitFor();
    // On a machine with little memory, the entry shows the needed and the available memory.
    assert.match((await row.textContent()) ?? '', /tok\/s.* of memory.* GB to download/);
    await workbench.press('Enter');
    await workbench.dialogButton('Download').click();

    await workbench.notifications.filter({ hasText: `Downloading ${NAME}` }).waitFor();
    await workbench.status.filter({ hasText: / \d+ %/ }).waitFor();
    const shares = new Set<string>();
    const downloading = until('the download is there', async () => {
      const { status, serverStatus } = await session.probe.state();
      shares.add(/cloud-download\) (\d+) %/.exec(status.text)?.[1] ?? '');
      return shares.size > 1 && shares.has('') && serverStatus?.model?.target === REPOSITORY;
    });
    const progressShown = workbench.notifications
      .filter({ hasText: new RegExp(` MB of ${formatSize(embeddedBytes)}, .*/s, .* left`) })
      .waitFor();
    assert.match(await suggestion('matrix.py:42:18'), /\S/);
    await progressShown;
    await downloading;
    assert.ok(shares.size > 4, [...shares].join());
  });

  it('suggest ghost text after a switch, without a restart of the server', async () => {
    assert.ok(serverProcessId);
    assert.match(await suggestion('shoppingCart.ts:20:22'), /\S/);
    const state = await session.probe.state();
    assert.equal(state.serverProcessId, serverProcessId);
    assert.equal(state.serverStatus?.model?.target, REPOSITORY);
    assert.ok(settings().includes(SLOW_PAIR.target) && settings().includes(SLOW_PAIR.drafter));
    assert.ok(state.status.tooltip.includes(REPOSITORY.replaceAll(/-/g, '\\-')));
  });

  it('are switched back, leave memory when idle, and return with the next key', async () => {
    await pick('Built-in pair');
    await stateWhen(
      'the embedded pair is in use',
      ({ serverStatus }) => serverStatus?.model?.target === 'embedded',
    );
    assert.match(await suggestion('matrix.py:42:18'), /\S/);
    await session.probe.setting('flashline.unloadAfterMinutes', 0.03);
    const { status } = await stateWhen(
      'the idle model has left memory',
      ({ serverStatus }) => serverStatus?.asleepBecause === 'idle',
    );
    assert.match(status.reason, /loads again with your next key/);
    await session.probe.setting('flashline.unloadAfterMinutes', 15);
    const { file, offset } = examplePlace('shoppingCart.ts:20:22');
    await session.probe.show(session.profile.file(file), offset);
    await workbench.type(')');
    await workbench.ghost.first().waitFor();
    assert.equal((await session.probe.state()).serverStatus?.model?.target, 'embedded');
  });

  it('ask for a token when they are gated, and store it in no file of the profile', async () => {
    const hasToken = ({ headers }: IncomingMessage): boolean => headers.authorization === `Bearer ${TOKEN}`;
    hub.intercept = (request, response) => {
      if (!hasToken(request)) refuse(response, 401, 'GatedRepo');
      return !hasToken(request);
    };
    const inputTitled = (title: string) =>
      workbench.page.locator('.quick-input-title', { hasText: title }).waitFor();
    await pick('Another Hugging Face repository');
    await inputTitled('another Hugging Face repository');
    await workbench.type(SLOW_PAIR.drafter, 1);
    await workbench.press('Enter');
    const gated = workbench.notifications.filter({ hasText: 'is gated (HTTP status 401' });
    await gated.getByRole('button', { name: 'Enter Token...' }).click();
    await inputTitled('Hugging Face token');
    await workbench.page.locator('.quick-input-widget input[type=password]').waitFor();
    await workbench.type(TOKEN, 1);
    await workbench.press('Enter');
    await inputTitled('another Hugging Face repository');
    await workbench.press('Enter');
    await until('the drafter is used', () => settings().includes(SLOW_PAIR.drafter));
    assert.ok(hub.requests.some(({ authorization }) => authorization === `Bearer ${TOKEN}`));
    const { root } = session.profile;
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name));
    const readable = files.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
    assert.ok(readable.some((file) => readFileSync(file).includes(SLOW_PAIR.drafter)));
    assert.deepEqual(
      readable.filter((file) => readFileSync(file).includes(TOKEN)),
      [],
    );
  });
});
