// Tests which pairs are tried after a crash, and when a remote engine that failed is tried again: after pauses that
// double, or after the time that its server asks for.
import assert from 'node:assert/strict';
import { Candidates } from '../../server/hosting/candidates';
import { LoadCrash } from '../../server/hosting/loadMark';
import { DEFAULT_SETTINGS } from '../../server/hosting/settings';
import { RemoteError } from '../../server/remote/remoteError';
import { NO_REMOTE } from '../../server/rules/serverSettings';
import { ManualClock, settled } from '../lsp/manualClock';

describe('Candidates', () => {
  it('lists the built-in pair, with its own drafter, after a crash, until another failure', () => {
    const candidates = new Candidates(() => undefined);
    const pairs = () =>
      [...candidates.list({ ...DEFAULT_SETTINGS, target: 'a', drafter: 'd' })].map(
        ({ target, drafter }) => `${target},${drafter}`,
      );
    candidates.failed(new LoadCrash('Loading a crashed.'));
    assert.deepEqual(pairs(), ['a,d', ',']);
    candidates.failed(new Error('broken weights'));
    assert.deepEqual(pairs(), ['a,d']);
  });

  it('lists the local pair after a remote engine, without a drafter that is meant for llama-server', () => {
    const drafterOf = (url: string) => {
      const remote = { ...NO_REMOTE, url, fallback: true };
      const [, local] = new Candidates(() => undefined).list({ ...DEFAULT_SETTINGS, drafter: 'd', remote });
      return local?.drafter;
    };
    assert.deepEqual([drafterOf('http://a:80'), drafterOf('llama-server')], ['d', '']);
  });
});

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

  it('is left alone for longer after it could not be reached again', async () => {
    fail();
    await secondsUntilRetry();
    const reach = () => Promise.reject(new RemoteError('It sent nothing. Wait.'));
    assert.equal(await candidates.retry(reach), false);
    assert.equal(await secondsUntilRetry(), 2);
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
