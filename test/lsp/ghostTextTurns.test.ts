// Tests that next edits wait while ghost text is computed, in any document.
import assert from 'node:assert/strict';
import { GhostTextTurns } from '../../server/lsp/ghostTextTurns';
import { settled } from './manualClock';

describe('a next edit', () => {
  it('waits until no request for ghost text runs', async () => {
    const turns = new GhostTextTurns();
    const ends: (() => void)[] = [];
    const requests = [0, 1].map(() =>
      turns.run(() => new Promise<void>((resolve) => void ends.push(resolve))),
    );
    let isQuiet = false;
    const waiting = turns.quiet(new AbortController().signal).then(() => (isQuiet = true));
    ends[0]?.();
    await settled();
    assert.equal(isQuiet, false);
    ends[1]?.();
    await Promise.all([...requests, waiting]);
  });

  it('waits until finished ghost text is sent', async () => {
    const turns = new GhostTextTurns();
    await turns.run(() => Promise.resolve());
    let isQuiet = false;
    const waiting = turns.quiet(new AbortController().signal).then(() => (isQuiet = true));
    await new Promise((resolve) => void setImmediate(resolve));
    assert.equal(isQuiet, false);
    await waiting;
  });
});
