// Small rules with a clock or a list: snoozing, other providers.
import assert from 'node:assert/strict';
import { otherProvider, usesCopilot } from '../../src/ghostText/conflictHint';
import { Snooze } from '../../src/status/snooze';
import { authentication, workspace } from './support/fakeVscode';

describe('Snooze', () => {
  it('begins, is prolonged and ends', () => {
    let changes = 0;
    const snooze = new Snooze(() => (changes += 1));
    assert.equal(snooze.until, undefined);
    snooze.start(10);
    assert.ok(Number(snooze.until) > Date.now());
    snooze.start(Infinity);
    assert.equal(snooze.until, Infinity);
    snooze.start(0);
    assert.equal(snooze.until, undefined);
    assert.equal(changes, 3);
    snooze.dispose();
  });

  it('ends by itself', async () => {
    const ended = new Promise<boolean>((resolve) => {
      const snooze = new Snooze(() => {
        if (snooze.until === undefined) resolve(true);
      });
      snooze.start(1 / 60_000);
    });
    assert.equal(await ended, true);
  });
});

describe('otherProvider', () => {
  const extension = (id: string, isActive = true, isBuiltin = false) => ({
    id,
    isActive,
    packageJSON: { isBuiltin },
  });

  it('finds an active one, whatever the case of its id, each product until it was shown', () => {
    const extensions = [
      extension('GitHub.copilot'),
      extension('GitHub.copilot-chat'),
      extension('TabNine.tabnine-vscode'),
    ];
    assert.deepEqual(otherProvider(extensions, [], false), { id: 'GitHub.copilot', name: 'GitHub Copilot' });
    assert.equal(otherProvider(extensions, ['GitHub Copilot'], false)?.name, 'Tabnine');
    assert.equal(otherProvider(extensions, ['GitHub Copilot', 'Tabnine'], false), undefined);
  });

  it('leaves out what is inactive, built in or of another kind', () => {
    const others = [
      extension('github.copilot', false),
      extension('github.copilot-chat', true, true),
      extension('ms-python.python'),
    ];
    assert.equal(otherProvider(others, [], false), undefined);
    assert.equal(otherProvider(others, [], true)?.id, 'github.copilot-chat', 'built in, but used');
  });
});

describe('usesCopilot', () => {
  afterEach(() => {
    workspace.settings = {};
    authentication.getAccounts = () => Promise.resolve([]);
  });

  it('tells whether the Copilot in VS Code is on, with somebody signed in', async () => {
    assert.equal(await usesCopilot(), false, 'nobody has signed in');
    authentication.getAccounts = () => Promise.resolve([{}]);
    assert.equal(await usesCopilot(), true);
    workspace.settings = { 'chat.disableAIFeatures': true };
    assert.equal(await usesCopilot(), false);
    workspace.settings = { 'github.copilot.enable': { '*': false, python: true } };
    assert.equal(await usesCopilot(), false);
    workspace.settings = { 'github.copilot.enable': { '*': true, markdown: false } };
    assert.equal(await usesCopilot(), true);
    authentication.getAccounts = () => Promise.reject(new Error('no such provider'));
    assert.equal(await usesCopilot(), false);
  });
});
