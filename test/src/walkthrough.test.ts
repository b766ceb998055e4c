// When the walkthrough opens by itself: once, in a window that a person looks at.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Memento } from 'vscode';
import { tryExample, openWalkthroughOnce } from '../../src/status/walkthrough';
import { commands, Uri, window, workspace } from './support/fakeVscode';

const SETTING = 'workbench.welcomePage.walkthroughs.openOnInstall';
const ID = 'flashline.flashline#start';

describe('the walkthrough after installation', () => {
  let stored: Map<string, unknown>;
  let focused: () => void;
  beforeEach(() => {
    stored = new Map();
    window.onDidChangeWindowState = (listener) => {
      focused = listener as () => void;
      return { dispose: () => undefined };
    };
  });
  afterEach(() => {
    workspace.isTrusted = window.state.focused = true;
    workspace.workspaceFolders = undefined;
    workspace.settings = {};
  });

  /** A window that opens; returns whether the walkthrough does. */
  function opens(isNewUser = true): boolean {
    return after(() => {
      const memory = {
        get: (key: string) => stored.get(key),
        update: (key: string, value: unknown) => Promise.resolve(void stored.set(key, value)),
      };
      openWalkthroughOnce(memory as unknown as Memento, ID, isNewUser);
    });
  }

  function after(happens: () => void): boolean {
    commands.ran = [];
    happens();
    if (commands.ran.length > 0) assert.deepEqual(commands.ran, ['workbench.action.openWalkthrough', ID]);
    return commands.ran.length > 0;
  }

  it('opens in the first window, and never again', () => {
    assert.ok(opens());
    assert.ok(!opens());
    assert.ok(!after(focused));
  });

  it('does not open where VS Code is told not to open walkthroughs, and not later either', () => {
    workspace.settings = { [SETTING]: false };
    assert.ok(!opens());
    workspace.settings = {};
    assert.ok(!opens());
  });

  it('waits for trust and for the focus', () => {
    workspace.isTrusted = window.state.focused = false;
    assert.ok(!opens());
    workspace.isTrusted = true;
    assert.ok(!after(workspace.trusted));
    window.state.focused = true;
    assert.ok(after(focused));
    assert.ok(!after(focused));
  });

  it('waits for a window with files: one of a remote machine, but not of a repository on the web', () => {
    for (const [scheme, isReal] of [
      ['vscode-vfs', false],
      ['vscode-remote', true],
    ] as const) {
      workspace.workspaceFolders = [{ uri: { scheme } }];
      assert.equal(opens(), isReal, scheme);
    }
  });
});

describe('the example of the walkthrough', () => {
  const shown: { language: string; content: string }[] = [];
  const { openTextDocument } = workspace;
  const { readFile } = workspace.fs;
  beforeEach(() => {
    workspace.fs.readFile = ({ path }) => Promise.resolve(readFileSync(path));
    workspace.openTextDocument = (options) =>
      Promise.resolve({ ...options, positionAt: (offset: number) => offset });
    window.showTextDocument = (document) => {
      const { language, content } = document as { language: string; content: string };
      shown.push({ language, content });
      return Promise.resolve({});
    };
  });
  afterEach(() => {
    window.visibleTextEditors = [];
    workspace.openTextDocument = openTextDocument;
    workspace.fs.readFile = readFile;
    window.showTextDocument = () => Promise.resolve();
  });

  for (const [open, expected] of [
    [[], 'javascript'],
    [['cobol'], 'javascript'],
    [['markdown', 'go'], 'go'],
    [['rust'], 'rust'],
    [['constructor', 'python'], 'python'],
  ] as const)
    it(`is in ${expected} where the open files are in ${open.join(' and ') || 'no language'}`, async () => {
      window.visibleTextEditors = open.map((languageId) => ({ document: { languageId } }));
      await tryExample(Uri.file(resolve('media/walkthrough')) as never);
      assert.equal(shown.at(-1)?.language, expected);
      assert.doesNotMatch(shown.at(-1)?.content ?? '║', /║/);
      assert.deepEqual(commands.ran, ['editor.action.inlineSuggest.trigger']);
    });
});
