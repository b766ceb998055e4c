// Tests the statistics that the command line shows after a text, as a whole: every number with its unit, and words for
// missing ones.
import assert from 'node:assert/strict';
import { statsTable } from '../../server/cli/statsTable';
import type { RequestStats } from '../../server/engine/request/stats';

const STATS: RequestStats = {
  promptTokens: 120,
  reusedTokens: 100,
  emittedTokens: 21,
  rounds: 8,
  roundTokens: 20,
  draftedTokens: 30,
  acceptedTokens: 12,
  acceptedByPosition: [6, 4, 2],
  draftedByPosition: [8, 8, 7],
  wholeRounds: 3,
  mismatchesByPosition: [2, 2, 1],
  sources: [
    { name: 'dflash', rounds: 5, drafted: 20, accepted: 10 },
    { name: 'lookup', rounds: 3, drafted: 10, accepted: 2 },
  ],
  timeToFirstTokenMs: 50.4,
  queuedMs: 5,
  prefillMs: 40.6,
  draftMs: 60,
  verifyMs: 140,
  buildMs: 10,
  decodeMs: 200,
  peakMemoryBytes: 607e6,
  finishReason: 'stop',
  speculationOff: undefined,
  seed: 7,
};
const UNKNOWN: RequestStats<null> = {
  ...STATS,
  promptTokens: null,
  reusedTokens: null,
  rounds: null,
  roundTokens: null,
  draftedTokens: null,
  acceptedTokens: null,
  acceptedByPosition: [],
  draftedByPosition: [],
  wholeRounds: null,
  mismatchesByPosition: [],
  sources: [],
  prefillMs: null,
  draftMs: null,
  verifyMs: null,
  decodeMs: null,
  peakMemoryBytes: null,
  seed: undefined,
};

describe('the statistics of a request', () => {
  it('are a table with units, shares by position and the seed', () => {
    assert.equal(
      statsTable(STATS, { acceptance: 'rejection' }),
      `  prompt tokens               120 (100 reused)
  emitted tokens              21 in 8 rounds
  tokens per round            2.50
  drafts accepted             12 of 30 (dflash 10 of 20, lookup 2 of 10)
  accepted by position        75% 50% 29%
  drafts accepted whole       3 of 8 rounds
  first mismatch by position  2 2 1
  time to first token         50 ms
  prefill / draft / verify    41 ms / 60 ms / 140 ms
  decode speed                100.0 tok/s
  end-to-end speed            87.3 tok/s
  peak memory                 607 MB
  finish reason               stop
  speculation                 on
  seed                        7 (rejection)`,
    );
  });

  it('name the acceptance mode only where there are drafts', () => {
    assert.match(statsTable(STATS), / seed +7 \(match\)$/);
    assert.match(
      statsTable({ ...STATS, speculationOff: 'no_drafter' }),
      / speculation +off \(no_drafter\)\n +seed +7$/,
    );
  });

  it('name a single round in the singular', () => {
    assert.match(statsTable({ ...STATS, rounds: 1 }), / 21 in 1 round\n/);
  });

  it('have dashes if there were no drafts', () => {
    const plain = { ...STATS, acceptedByPosition: [], draftedByPosition: [], mismatchesByPosition: [] };
    const text = statsTable(plain);
    for (const row of ['accepted by position', 'drafts accepted whole', 'first mismatch by position'])
      assert.match(text, new RegExp(` ${row} +-\n`));
  });

  it('are unknown where a server does not report them', () => {
    const rows = statsTable(UNKNOWN)
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/));
    assert.deepEqual(Object.fromEntries(rows), {
      'prompt tokens': 'unknown (unknown reused)',
      'emitted tokens': '21 in unknown rounds',
      'tokens per round': 'unknown',
      'drafts accepted': 'unknown of unknown',
      'accepted by position': '-',
      'drafts accepted whole': 'unknown',
      'first mismatch by position': '-',
      'time to first token': '50 ms',
      'prefill / draft / verify': 'unknown / unknown / unknown',
      'decode speed': 'unknown',
      'end-to-end speed': 'unknown',
      'peak memory': 'unknown',
      'finish reason': 'stop',
      speculation: 'unknown',
    });
  });
});
