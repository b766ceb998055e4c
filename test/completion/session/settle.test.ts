// Tests that the pause in typing ends early when its request is cancelled.
import assert from 'node:assert/strict';
import { settle } from '../../../server/completion/session/settle';

describe('the pause in typing', () => {
  it('ends as soon as its request is cancelled, and is skipped if it has no length', async () => {
    const controller = new AbortController();
    let hasEnded = false;
    const pause = settle(1e8, controller.signal).then(() => (hasEnded = true));
    await new Promise(setImmediate);
    assert.equal(hasEnded, false);
    controller.abort();
    await pause;
    await settle(1e8, controller.signal);
    await settle(0, new AbortController().signal);
  });
});
