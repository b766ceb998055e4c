// When the walkthrough opens by itself: once, in a window that a person looks at.
import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import { openWalkthroughOnce } from '../../src/status/walkthrough';
import { commands, window, workspace } from './support/fakeVscode';

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
