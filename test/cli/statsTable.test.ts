// The statistics of one request as a table and as an object, from made-up counters.
// The keys of the object never vary: scripts read them.
import assert from 'node:assert/strict';
import { statsTable, table } from '../../server/cli/statsTable';
import { statsObject } from '../../server/engine/request/stats';
import type { RequestStats } from '../../server/engine/request/stats';
import { STATS_KEYS } from './printed';

const STATS: RequestStats = {
  promptTokens: 300,
  reusedTokens: 20,
  emittedTokens: 9,
  rounds: 4,
  roundTokens: 8,
  draftedTokens: 10,
  acceptedTokens: 5,
  acceptedByPosition: [3, 1, 0],
  draftedByPosition: [4, 3, 0],
  sources: [],
  timeToFirstTokenMs: 410.4,
  queuedMs: 0,
  prefillMs: 400.6,
  draftMs: 30,
  verifyMs: 70,
  buildMs: 10,
  decodeMs: 100,
  peakMemoryBytes: 319_400_000,
  finishReason: 'stop',
  speculationOff: undefined,
};

const NOTHING: RequestStats = {
  ...STATS,
  emittedTokens: 0,
  rounds: 0,
  roundTokens: 0,
  draftedTokens: 0,
  acceptedTokens: 0,
  acceptedByPosition: [],
  draftedByPosition: [],
  prefillMs: 0,
  decodeMs: 0,
  finishReason: 'cancelled',
  speculationOff: 'no_drafter',
};

describe('the statistics of a request', () => {
  it('are an object of all counters and rates, without gaps', () => {
    const object = statsObject(STATS);
    assert.deepEqual(Object.keys(object), STATS_KEYS);
    assert.deepEqual(object, {
      ...STATS,
      speculationOff: null,
      seed: null,
      tokensPerRound: 2,
      acceptanceRate: 0.5,
      decodeTokensPerSecond: 80,
      endToEndTokensPerSecond: 9000 / 500.6,
    });
  });

  it('are numbers, not NaN, when nothing was decoded', () => {
    const printed = JSON.parse(JSON.stringify(statsObject(NOTHING))) as Record<string, unknown>;
    assert.deepEqual(Object.keys(printed), STATS_KEYS);
    const nulls = Object.keys(printed).filter((key) => printed[key] === null);
    assert.deepEqual(nulls, ['seed']);
    assert.equal(printed['speculationOff'], 'no_drafter');
    for (const rate of STATS_KEYS.slice(-4)) assert.equal(printed[rate], 0);
  });

  it('are a table for people', () => {
    assert.equal(
      statsTable(STATS),
      `  prompt tokens             300 (20 reused)
  emitted tokens            9 in 4 rounds
  tokens per round          2.00
  drafts accepted           5 of 10
  accepted by position      75% 33% -
  time to first token       410 ms
  prefill / draft / verify  401 ms / 30 ms / 70 ms
  decode speed              80.0 tok/s
  end-to-end speed          18.0 tok/s
  peak memory               319 MB
  finish reason             stop
  speculation               on`,
    );
    assert.match(statsTable({ ...STATS, rounds: 1 }), /\n {2}emitted tokens +9 in 1 round\n/);
    assert.match(
      statsTable(NOTHING),
      /\n {2}accepted by position +-\n(.*\n)+ {2}speculation +off \(no_drafter\)$/,
    );
  });

  it('name the seed where chance played a part, and how drafts were accepted if there were any', () => {
    const seeded = { ...STATS, seed: 7 };
    assert.equal(statsObject(seeded)['seed'], 7);
    assert.match(statsTable(seeded), /\n {2}speculation +on\n {2}seed +7 \(match\)$/);
    assert.match(statsTable(seeded, { acceptance: 'rejection' }), /\n {2}seed +7 \(rejection\)$/);
    const plain = statsTable({ ...seeded, speculationOff: 'logprobs_requested' });
    assert.match(plain, /\n {2}speculation +off \(logprobs_requested\)\n {2}seed +7$/);
    assert.doesNotMatch(statsTable(STATS, { acceptance: 'rejection' }), /seed/);
  });

  it('are in columns that are as wide as their widest cell', () => {
    assert.equal(
      table([
        ['a', 'bb', 'c'],
        ['', 'b', 'ccc'],
        ['aaa', ''],
      ]),
      '  a    bb  c\n       b   ccc\n  aaa',
    );
    assert.equal(table([]), '');
  });
});
