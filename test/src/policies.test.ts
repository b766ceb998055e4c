// Small rules with a clock or a list: snoozing, other providers.
import assert from 'node:assert/strict';
import { otherProvider } from '../../src/conflictHint';
import { Snooze } from '../../src/snooze';

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
    assert.deepEqual(otherProvider(extensions, []), { id: 'GitHub.copilot', name: 'GitHub Copilot' });
    assert.equal(otherProvider(extensions, ['GitHub Copilot'])?.name, 'Tabnine');
    assert.equal(otherProvider(extensions, ['GitHub Copilot', 'Tabnine']), undefined);
  });

  it('leaves out what is inactive, built in or of another kind', () => {
    const others = [
      extension('github.copilot', false),
      extension('github.copilot-chat', true, true),
      extension('ms-python.python'),
    ];
    assert.equal(otherProvider(others, []), undefined);
  });
});
