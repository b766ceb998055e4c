// Tests what is read from the answers and errors of other servers: the time to wait, and the reason of a failure.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { networkWords, retryAfterMs } from '../../server/machine/requestFailure';

describe('retryAfterMs', () => {
  it('reads seconds or a date, and returns undefined for other texts and without a header', () => {
    mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 1, 12) });
    try {
      for (const [text, ms] of [
        ['7', 7_000],
        [' 120 ', 120_000],
        ['0', 0],
        ['Thu, 01 Jan 2026 12:00:05 GMT', 5_000],
        ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
        ['soon', undefined],
        ['', undefined],
      ] as const)
        assert.equal(retryAfterMs(new Headers({ 'retry-after': text })), ms, text);
      assert.equal(retryAfterMs(new Headers()), undefined);
    } finally {
      mock.timers.reset();
    }
  });
});

describe('networkWords', () => {
  it('returns the code of the innermost cause, or its message if it has no code or one of undici', () => {
    const error = (message: string, fields: object = {}): Error => Object.assign(new Error(message), fields);
    const refused = error('connect ECONNREFUSED 127.0.0.1:1', { code: 'ECONNREFUSED' });
    const silent = error('Headers Timeout Error', { code: 'UND_ERR_HEADERS_TIMEOUT' });
    for (const [thrown, words] of [
      [error('fetch failed', { cause: error('of a pool', { cause: refused }) }), '"ECONNREFUSED"'],
      [error('fetch failed', { cause: silent }), '"Headers Timeout Error"'],
      [error('odd', { cause: 'a text' }), '"odd"'],
      ['a text', '"a network failure"'],
    ] as const)
      assert.equal(networkWords(thrown), words);
  });
});
