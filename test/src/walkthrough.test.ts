// Tests when the walkthrough opens by itself (once, in a window that the user looks at), its page and its example.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { tryExample } from '../../src/status/tryExample';
import { Walkthrough } from '../../src/status/walkthrough';
import { ManualClock } from '../lsp/manualClock';
import { commands, memento, Position, type Selection, Uri, window, workspace } from './support/fakeVscode';

const SETTING = 'workbench.welcomePage.walkthroughs.openOnInstall';
const ID = 'flashline.flashline#start';

describe('the walkthrough after installation', () => {
  let memory: ReturnType<typeof memento>;
  /** Reports that the window has got the focus. */
  let focus: () => void;
  let openedCount = 0;
  beforeEach(() => {
    memory = memento();
    window.onDidChangeWindowState = (listener) => {
      focus = listener as () => void;
      return { dispose: () => undefined };
    };
  });
  afterEach(() => {
    workspace.isTrusted = window.state.focused = true;
    workspace.workspaceFolders = undefined;
    workspace.settings = {};
  });

  /** Opens a window; returns whether the walkthrough opens in it. */
  const opens = (): boolean =>
    opensAfter(() => {
      const walkthrough = new Walkthrough(ID, memory);
      walkthrough.open = () => Promise.resolve(void (openedCount += 1));
      walkthrough.openOnce();
    });

  /** Returns whether the action opens the walkthrough. */
  function opensAfter(action: () => void): boolean {
    const before = openedCount;
    action();
    return openedCount === before + 1;
  }

  it('opens in the first window unless VS Code forbids it, and never again', () => {
    for (const setting of [true, false]) {
      memory = memento();
      workspace.settings = { [SETTING]: setting };
      assert.equal(opens(), setting);
      workspace.settings = {};
      assert.ok(!opens() && !opensAfter(focus));
    }
  });

  it('waits for workspace trust and for the focus', () => {
    workspace.isTrusted = window.state.focused = false;
    assert.ok(!opens());
    workspace.isTrusted = true;
    assert.ok(!opensAfter(workspace.trusted));
    window.state.focused = true;
    assert.ok(opensAfter(focus));
    assert.ok(!opensAfter(focus));
  });

  it('opens when the workspace is trusted in a window that has the focus', () => {
    workspace.isTrusted = false;
    assert.ok(!opens());
    workspace.isTrusted = true;
    assert.ok(opensAfter(workspace.trusted));
  });

  it('stays closed while all folders are repositories on the web, and opens with a remote folder', () => {
    for (const [schemes, isReal] of [
      [['vscode-vfs'], false],
      [['vscode-vfs', 'vscode-remote'], true],
    ] as const) {
      workspace.workspaceFolders = schemes.map((scheme) => ({ uri: { scheme } }));
      assert.equal(opens(), isReal, schemes.join());
    }
  });
});

describe('the page of the walkthrough', () => {
  it('opens after a command has made VS Code read the walkthroughs', async () => {
    const clock = new ManualClock();
    commands.ran = [];
    const opened = new Walkthrough(ID, memento()).open();
    assert.match(String(commands.ran), /^welcome\.markStepIncomplete,/);
    await clock.pass(5_000);
    assert.doesNotMatch(String(commands.ran), /openWalkthrough/);
    await clock.pass(1_000);
    await opened;
    assert.match(String(commands.ran), new RegExp(`workbench\\.action\\.openWalkthrough,${ID}$`));
  });
});

describe('the picture of the status bar in the walkthrough', () => {
  it('has no colours of its own for the bar, as themes of high contrast leave some out', () => {
    const svg = readFileSync('media/walkthrough/speed.svg', 'utf8');
    assert.match(svg, /--vscode-statusBar-background,/);
    assert.doesNotMatch(svg, /--vscode-statusBar-\w+, #/);
  });
});

describe('the example of the walkthrough', () => {
  const { openTextDocument, fs } = workspace;
  const { readFile } = fs;
  afterEach(() => {
    Object.assign(window, { visibleTextEditors: [], showTextDocument: () => Promise.resolve() });
    Object.assign(workspace, { openTextDocument });
    fs.readFile = readFile;
  });

  it('opens in the language of an open file, or else in JavaScript, with the cursor at its mark', async () => {
    const shown: { language: string; content: string }[] = [];
    const editor: { selection?: Selection } = {};
    let text = '';
    fs.readFile = ({ path }) => {
      text = readFileSync(path, 'utf8');
      return Promise.resolve(new TextEncoder().encode(text));
    };
    workspace.openTextDocument = (options) =>
      Promise.resolve({ ...options, positionAt: (offset: number) => new Position(0, offset) });
    window.showTextDocument = (document) => {
      shown.push(document as (typeof shown)[number]);
      return Promise.resolve(editor);
    };
    for (const [open, expected] of [
      [[], 'javascript'],
      [['cobol'], 'javascript'],
      [['markdown', 'go'], 'go'],
      [['constructor', 'python'], 'python'],
    ] as const) {
      window.visibleTextEditors = open.map((languageId) => ({ document: { languageId } }));
      await tryExample(Uri.file(resolve('media/walkthrough')) as never);
      assert.equal(shown.at(-1)?.language, expected);
      assert.equal(shown.at(-1)?.content, text.replace('║', ''));
      assert.ok(editor.selection?.isEmpty);
      assert.equal(editor.selection.active.character, text.indexOf('║'));
      assert.deepEqual(commands.ran, ['editor.action.inlineSuggest.trigger']);
    }
  });
});
