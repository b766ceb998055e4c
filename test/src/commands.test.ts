// Tests the handlers of the commands that do more than call one method.
import assert from 'node:assert/strict';
import { commands as handlersOf, type CommandParts } from '../../src/commands';
import type { MenuItem } from '../../src/status/menu';
import { commands, window } from './support/fakeVscode';
import { sampleSettings } from './support/sampleDocument';

describe('a command of the extension', () => {
  let calls: string[];
  let state: { until: number | undefined; address: string | undefined; status: string };
  let run: (name: string, argument?: unknown) => unknown;
  const { showQuickPick } = window;

  beforeEach(() => {
    calls = [];
    state = { until: undefined, address: undefined, status: 'ready' };
    /** Returns a method that records its calls. */
    const recorded = (name: string) => (argument?: string | number) => {
      calls.push(argument === undefined ? name : `${name} ${argument}`);
    };
    const handlers = handlersOf({
      configuration: { settings: sampleSettings(), toggle: recorded('toggle') },
      instruct: { run: { cancel: recorded('cancel') } },
      nextEdit: { dismiss: recorded('dismiss next edit') },
      dismissals: { dismiss: recorded('dismiss ghost text') },
      panel: { show: recorded('panel') },
      log: { show: recorded('log') },
      snooze: {
        get until() {
          return state.until;
        },
        start: recorded('snooze'),
      },
      otherTools: {
        get address() {
          return state.address;
        },
        start: recorded('start'),
        stop: recorded('stop'),
      },
      statusBar: {
        get rendered() {
          return { state: state.status, reason: 'The reason.' };
        },
      },
    } as unknown as CommandParts);
    run = (name, argument) => handlers[`flashline.${name}`]?.(argument);
  });
  afterEach(() => {
    window.showQuickPick = showQuickPick;
    window.activeTextEditor = undefined;
  });

  /** Opens the menu, chooses the first item whose label has `label`, and returns all items. */
  async function chooseInMenu(label: string): Promise<readonly MenuItem[]> {
    let shown: readonly MenuItem[] = [];
    window.showQuickPick = (items) => {
      shown = items as readonly MenuItem[];
      return Promise.resolve(shown.find((item) => item.label.includes(label)));
    };
    commands.ran = [];
    await run('showMenu');
    return shown;
  }

  it('runs what was chosen in the menu, with its arguments, and nothing if it is closed', async () => {
    await chooseInMenu('Open settings');
    assert.deepEqual(commands.ran, ['workbench.action.openSettings', '@ext:flashline.flashline']);
    await chooseInMenu('Show log');
    assert.deepEqual(commands.ran, ['flashline.showLog']);
    await chooseInMenu('no such item');
    assert.deepEqual(commands.ran, []);
  });

  it('shows in the menu the problem, the snooze, the server for other tools and the language of the editor', async () => {
    const labels = async () => (await chooseInMenu('no such item')).map(({ label }) => label).join();
    const usual = await labels();
    assert.match(usual, /Show statistics,.*Snooze for 10 minutes,.*Start the server/);
    assert.doesNotMatch(usual, /suggestions for/);
    state = { until: 1, address: 'http://127.0.0.1:8080', status: 'error' };
    window.activeTextEditor = { document: { languageId: 'plaintext', uri: { path: '/a/App.vue' } } };
    assert.match(await labels(), /^\S+ Restart server,.*End snooze,.*suggestions for Vue,.*Stop the server/);
    const [restart] = await chooseInMenu('no such item');
    assert.equal(restart?.description, 'The reason.');
  });

  it('toggles suggestions for the language of the active editor, or everywhere', () => {
    run('toggleLanguage');
    window.activeTextEditor = { document: { languageId: 'go', uri: { path: '/a.go' } } };
    run('toggleLanguage');
    run('toggle');
    assert.deepEqual(calls, ['toggle go', 'toggle']);
  });

  it('snoozes for the given time, or else for ten minutes, and without a time ends a snooze', () => {
    run('snooze');
    run('snooze', 5);
    run('snooze', Infinity);
    state.until = 1;
    run('snooze');
    run('snooze', 3);
    assert.deepEqual(calls, ['snooze 10', 'snooze 5', 'snooze Infinity', 'snooze 0', 'snooze 3']);
  });

  it('starts the server for other tools, or stops it', () => {
    run('toggleServing');
    state.address = 'http://127.0.0.1:8080';
    run('toggleServing');
    assert.deepEqual(calls, ['start', 'stop']);
  });

  it('dismisses both the next edit and ghost text', () => {
    run('dismiss');
    assert.deepEqual(calls.splice(0), ['dismiss next edit', 'dismiss ghost text']);
    run('nextEdit.dismiss');
    assert.deepEqual(calls, ['dismiss next edit']);
  });

  it('shows the statistics, the explanation in them, or the log, and cancels a generation', () => {
    for (const name of ['showStatistics', 'whySuggestion', 'showLog', 'cancelGenerate']) run(name);
    assert.deepEqual(calls, ['panel', 'panel why', 'log', 'cancel']);
  });
});
