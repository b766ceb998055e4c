// The rates that are derived from the counters of a request.
// None of them may be infinite or NaN, whatever the counters are.
import assert from 'node:assert/strict';
import { rates, type RequestStats } from '../../server/engine/request/stats';

const stats: RequestStats = {
  promptTokens: 100,
  reusedTokens: 0,
  emittedTokens: 41,
  rounds: 10,
  roundTokens: 40,
  draftedTokens: 120,
  acceptedTokens: 30,
  sources: [],
  acceptedByPosition: [],
  draftedByPosition: [],
  timeToFirstTokenMs: 600,
  queuedMs: 0,
  prefillMs: 500,
  draftMs: 300,
  verifyMs: 400,
  buildMs: 50,
  decodeMs: 1500,
  peakMemoryBytes: 1,
  finishReason: 'length',
  speculationOff: undefined,
};

describe('rates', () => {
  it('leave the first token, which comes from prefill, out of the decode', () => {
    assert.equal(rates(stats).tokensPerRound, 4);
    assert.equal(rates(stats).decodeTokensPerSecond, 40 / 1.5);
  });

  it('count every token and all the computing end to end', () => {
    assert.equal(rates(stats).endToEndTokensPerSecond, 41 / 2);
  });

  it('relate accepted drafts to all that were verified', () => {
    assert.equal(rates(stats).acceptanceRate, 0.25);
  });

  it('are 0 when nothing was given out', () => {
    const nothing = {
      ...stats,
      emittedTokens: 0,
      rounds: 0,
      roundTokens: 0,
      draftedTokens: 0,
      acceptedTokens: 0,
    };
    const idle = { ...nothing, prefillMs: 0, decodeMs: 0 };
    const zeros = Object.keys(rates(stats)).map(() => 0);
    assert.deepEqual(Object.values(rates(nothing)), zeros);
    assert.deepEqual(Object.values(rates(idle)), zeros);
  });
});
