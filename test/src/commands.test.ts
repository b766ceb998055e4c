// Tests the handlers of the commands that do more than call one method.
import assert from 'node:assert/strict';
import { commands as handlersOf } from '../../src/commands';
import type { PendingEdits } from '../../src/instruct/edit/pendingEdits';
import type { MenuItem } from '../../src/status/menu';
import type { StatusBar } from '../../src/status/statusBar';
import { fake } from '../support/fake';
import { commands, Uri, window, workspace } from './support/fakeVscode';
import { sampleSettings } from './support/sampleDocument';

describe('a command of the extension', () => {
  let calls: string[];
  let state: { until: number | undefined; address: string | undefined; status: 'ready' | 'error' };
  let run: (name: string, argument?: unknown) => unknown;
  const { showQuickPick } = window;

  const begin = (): void => {
    calls = [];
    state = { until: undefined, address: undefined, status: 'ready' };
    /** Returns a method that records its calls. */
    const recorded =
      (name: string) =>
      (argument?: string | number): Promise<void> => {
        calls.push(argument === undefined ? name : `${name} ${argument}`);
        return Promise.resolve();
      };
    let hunks = [7, 8].map((id) => ({ id, line: id, removed: [], added: 1, empty: 0 }));
    const handlers = handlersOf(
      fake({
        configuration: fake({ settings: sampleSettings(), toggle: recorded('toggle') }),
        instruct: fake({ run: fake({ cancel: recorded('cancel') }) }),
        edit: fake({ edit: recorded('edit') }),
        pending: fake<PendingEdits>({
          hunksOf: () => hunks,
          decide: async (_, decided, isAccepted) => {
            hunks = [];
            await recorded(isAccepted ? 'accept' : 'reject')(decided.map(({ id }) => id).join());
            return true;
          },
        }),
        client: fake({ restart: recorded('restart') }),
        remote: fake({ choose: recorded('choose a remote engine') }),
        machineCheck: fake({ run: recorded('check the machine') }),
        walkthrough: fake({ open: recorded('open the walkthrough') }),
        documentation: Uri.file('/docs/README.md') as never,
        examples: Uri.file('/examples') as never,
        nextEdit: fake({
          dismiss: recorded('dismiss next edit'),
          accept: recorded('accept next edit'),
          request: recorded('request next edit'),
        }),
        dismissals: fake({ dismiss: recorded('dismiss ghost text') }),
        panel: fake({ show: recorded('panel'), compare: recorded('compare') }),
        log: fake({ show: recorded('log') as () => void }),
        snooze: fake({
          get until() {
            return state.until;
          },
          start: recorded('snooze'),
        }),
        otherTools: fake({
          get address() {
            return state.address;
          },
          start: recorded('start'),
          stop: recorded('stop'),
        }),
        statusBar: fake({
          get rendered() {
            return fake<StatusBar['rendered']>({ state: state.status, reason: 'The reason.' });
          },
          view: fake({}),
        }),
      }),
    );
    run = (name, argument) => handlers[`flashline.${name}`]?.(argument);
  };
  beforeEach(begin);
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
    assert.match(usual, /^\S+ Show statistics,.*Snooze for 10 minutes,.*Start the server/);
    assert.doesNotMatch(usual, /suggestions for/);
    state = { until: 1, address: 'http://127.0.0.1:8080', status: 'error' };
    window.activeTextEditor = {
      document: { languageId: 'plaintext', uri: { scheme: 'file', path: '/a/App.vue' } },
    };
    assert.match(await labels(), /^\S+ Restart server,.*End snooze,.*suggestions for Vue,.*Stop the server/);
    const [restart] = await chooseInMenu('no such item');
    assert.equal(restart?.description, 'The reason.');
  });

  it('toggles suggestions for the language of the active editor, or everywhere', () => {
    run('toggleLanguage');
    window.activeTextEditor = { document: { languageId: 'Log', uri: { scheme: 'output', path: '/log' } } };
    run('toggleLanguage');
    window.activeTextEditor = { document: { languageId: 'go', uri: { scheme: 'file', path: '/a.go' } } };
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

  it('runs the part that its title names, with the argument of a caller', () => {
    run('edit', 'make it shorter');
    run('nextEdit.accept', 'tab');
    for (const name of ['nextEdit.request', 'remoteEngine', 'restart', 'checkMachine', 'compare']) run(name);
    run('openWalkthrough');
    assert.deepEqual(calls, [
      'edit make it shorter',
      'accept next edit tab',
      'request next edit',
      'choose a remote engine',
      'restart',
      'check the machine',
      'compare',
      'open the walkthrough',
    ]);
    run('openDocumentation');
    assert.deepEqual(commands.ran.map(String), ['markdown.showPreview', 'file:///docs/README.md']);
  });

  it('accepts or rejects one change of an edit, or all of them', async () => {
    const document = { uri: Uri.file('/a.go') };
    const second = { uri: String(document.uri), id: 8 };
    for (const [name, argument, decision] of [
      ['acceptHunk', undefined, 'accept 7'],
      ['acceptHunk', second, 'accept 8'],
      ['rejectHunk', undefined, 'reject 7'],
      ['rejectHunk', second, 'reject 8'],
      ['acceptEdit', undefined, 'accept 7,8'],
      ['rejectEdit', undefined, 'reject 7,8'],
    ] as const) {
      begin();
      window.activeTextEditor = { document, selection: { active: { line: 0 } } };
      await run(name, argument);
      assert.deepEqual(calls, [decision], name);
    }
  });

  it('opens an example in the folder of examples', async () => {
    const { readFile } = workspace.fs;
    const read: string[] = [];
    workspace.fs.readFile = ({ path }) => Promise.reject(new Error(String(read.push(path))));
    await assert.rejects(run('tryExample') as Promise<unknown>);
    workspace.fs.readFile = readFile;
    assert.deepEqual(read, ['/examples/javascript.txt']);
  });
});
