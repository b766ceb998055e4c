// Tests that next edits wait while ghost text is computed, in any document.
import assert from 'node:assert/strict';
import { GhostTextPriority } from '../../server/lsp/ghostTextPriority';
import { ManualClock, settled } from './manualClock';

describe('a next edit', () => {
  it('waits until no request for ghost text runs', async () => {
    const priority = new GhostTextPriority();
    const ends: (() => void)[] = [];
    const requests = [0, 1].map(() =>
      priority.run(() => new Promise<void>((resolve) => void ends.push(resolve))),
    );
    let isQuiet = false;
    const waiting = priority.quiet(new AbortController().signal).then(() => (isQuiet = true));
    ends[0]?.();
    await settled();
    assert.equal(isQuiet, false);
    ends[1]?.();
    await Promise.all([...requests, waiting]);
  });

  it('waits for at most two seconds, and no longer once it is cancelled', async () => {
    const clock = new ManualClock();
    const priority = new GhostTextPriority();
    void priority.run(() => new Promise(() => undefined));
    const controller = new AbortController();
    const ended: string[] = [];
    void priority.quiet(new AbortController().signal).then(() => ended.push('late'));
    void priority.quiet(controller.signal).then(() => ended.push('cancelled'));
    await clock.pass(1000);
    assert.deepEqual(ended, []);
    controller.abort();
    await clock.pass(999);
    assert.deepEqual(ended, ['cancelled']);
    await clock.pass(1);
    assert.deepEqual(ended, ['cancelled', 'late']);
    await priority.quiet(controller.signal);
  });

  it('waits until finished ghost text is sent', async () => {
    const priority = new GhostTextPriority();
    await priority.run(() => Promise.resolve());
    let isQuiet = false;
    const waiting = priority.quiet(new AbortController().signal).then(() => (isQuiet = true));
    await new Promise((resolve) => void setImmediate(resolve));
    assert.equal(isQuiet, false);
    await waiting;
  });
});
