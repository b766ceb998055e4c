// The counters of a request, from a list of rounds that is written by hand.
// Times are made up.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Round } from '../../server/engine/request/stats';
import { Counters } from '../../server/engine/counters';

const round = (drafted: number, accepted: number, tokens: readonly number[]): Round => ({
  source: 'dflash',
  drafted,
  accepted,
  tokens,
  draftMs: 2,
  verifyMs: 5,
  buildMs: 1,
});

const OFF = { speculationOff: undefined };

describe('Counters', () => {
  it('counts every token, draft and millisecond of its rounds once', () => {
    const tally = new Counters(12, OFF);
    const add = (each: Round): void => {
      tally.count(each.tokens.length, each);
    };
    tally.count(1, undefined);
    tally.queuedMs += 7;
    tally.prefillMs += 30;
    add(round(7, 7, [1, 2, 3, 4, 5, 6, 7, 8]));
    add(round(7, 0, [9]));
    add(round(3, 2, [10, 11, 12]));
    // Cut by an end token, which was itself a draft.
    add(round(2, 1, [13]));
    const { timeToFirstTokenMs, peakMemoryBytes, ...counters } = tally.finish('stop');
    assert.ok(timeToFirstTokenMs >= 0);
    assert.ok(peakMemoryBytes > 2 ** 20);
    assert.deepEqual(counters, {
      promptTokens: 12,
      reusedTokens: 0,
      emittedTokens: 14,
      rounds: 4,
      roundTokens: 13,
      draftedTokens: 19,
      acceptedTokens: 10,
      acceptedByPosition: [3, 2, 1, 1, 1, 1, 1],
      draftedByPosition: [4, 4, 3, 2, 2, 2, 2],
      sources: [{ name: 'dflash', rounds: 4, drafted: 19, accepted: 10 }],
      queuedMs: 7,
      prefillMs: 30,
      draftMs: 8,
      verifyMs: 20,
      buildMs: 4,
      decodeMs: 28,
      finishReason: 'stop',
      speculationOff: undefined,
    });
  });

  it('counts nothing when there was no round', () => {
    const { emittedTokens, rounds, draftedTokens, acceptedByPosition, draftedByPosition, decodeMs } =
      new Counters(3, { speculationOff: 'no_drafter' }).finish('cancelled');
    assert.deepEqual(
      { emittedTokens, rounds, draftedTokens, acceptedByPosition, draftedByPosition, decodeMs },
      {
        emittedTokens: 0,
        rounds: 0,
        draftedTokens: 0,
        acceptedByPosition: [],
        draftedByPosition: [],
        decodeMs: 0,
      },
    );
  });

  it('hands on the reasons as they are', () => {
    const stats = new Counters(3, { speculationOff: 'draft_length_zero' }).finish('superseded');
    assert.equal(stats.finishReason, 'superseded');
    assert.equal(stats.speculationOff, 'draft_length_zero');
  });

  it('stops the clock of the first token at the first token', () => {
    let now = 100;
    const clock = mock.method(performance, 'now', () => now);
    const tally = new Counters(1, OFF);
    now += 20;
    tally.count(1, undefined);
    now += 5;
    assert.equal(tally.finish('length').timeToFirstTokenMs, 20);
    clock.mock.restore();
  });
});
