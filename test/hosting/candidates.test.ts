// Tests when a remote engine that failed is tried again: after pauses that double, or after the time that its server
// asks for.
import assert from 'node:assert/strict';
import { Candidates } from '../../server/hosting/candidates';
import { RemoteError } from '../../server/remote/remoteError';
import { ManualClock, settled } from '../lsp/manualClock';

describe('a remote engine that failed', () => {
  let clock: ManualClock;
  let candidates: Candidates;
  beforeEach(() => {
    clock = new ManualClock();
    candidates = new Candidates(() => undefined);
  });

  const fail = (retryAfterMs?: number): void => {
    candidates.failed(new RemoteError('It sent nothing. Wait.', { retryAfterMs }));
  };

  /** Returns the whole seconds until the engine is tried again. */
  const secondsUntilRetry = async (): Promise<number> => {
    for (let seconds = 0; ; seconds++) {
      if (candidates.isRetryDue) return seconds;
      await clock.pass(1000);
    }
  };

  it('is tried again after pauses that double up to a minute, and start over after a success', async () => {
    const pauses: number[] = [];
    for (let i = 0; i < 8; i++) {
      fail();
      pauses.push(await secondsUntilRetry());
    }
    assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
    candidates.reset();
    assert.equal(candidates.isRetryDue, false);
    fail();
    assert.equal(await secondsUntilRetry(), 1);
  });

  it('is tried again by only one request at a time', async () => {
    fail();
    await secondsUntilRetry();
    let reachedCount = 0;
    const reach = async (): Promise<void> => {
      reachedCount += 1;
      await settled();
    };
    const returned = await Promise.all([candidates.retry(reach), candidates.retry(reach)]);
    assert.deepEqual([reachedCount, returned], [1, [true, false]]);
  });

  it('is left alone for at least as long as its server asks, up to a minute', async () => {
    for (const [retryAfterMs, seconds] of [
      [7000, 7],
      // The pause after a second failure is longer.
      [500, 2],
      [3_600_000, 60],
    ] as const) {
      fail(retryAfterMs);
      assert.equal(await secondsUntilRetry(), seconds);
    }
  });
});
