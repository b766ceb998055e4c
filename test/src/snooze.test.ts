// Snoozing, with a clock.
import assert from 'node:assert/strict';
import { Snooze } from '../../src/ghostText/gate';

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
