// The rates that are derived from the counters of a request.
// None of them may be infinite or NaN, whatever the counters are.
import assert from 'node:assert/strict';
import {
  acceptanceRate,
  decodeTokensPerSecond,
  endToEndTokensPerSecond,
  tokensPerRound,
  type RequestStats,
} from '../../server/engine/stats';

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
    assert.equal(tokensPerRound(stats), 4);
    assert.equal(decodeTokensPerSecond(stats), 40 / 1.5);
  });

  it('count every token and all the computing end to end', () => {
    assert.equal(endToEndTokensPerSecond(stats), 41 / 2);
  });

  it('relate accepted drafts to all that were verified', () => {
    assert.equal(acceptanceRate(stats), 0.25);
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
    for (const rate of [tokensPerRound, decodeTokensPerSecond, endToEndTokensPerSecond, acceptanceRate]) {
      assert.equal(rate(nothing), 0);
      assert.equal(rate(idle), 0);
    }
  });

  it('are 0 when the first token was the only one', () => {
    const single = { ...stats, emittedTokens: 1, rounds: 0, roundTokens: 0, decodeMs: 0 };
    assert.equal(tokensPerRound(single), 0);
    assert.equal(decodeTokensPerSecond(single), 0);
    assert.equal(endToEndTokensPerSecond(single), 2);
  });
});
