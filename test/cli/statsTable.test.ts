// Tests the statistics that the command line shows after a text, and the report of the doctor, as a whole: every number
// with its unit, and words for missing ones.
import assert from 'node:assert/strict';
import { renderReport } from '../../server/cli/doctorReport';
import { statsTable } from '../../server/cli/statsTable';
import type { Examination } from '../../server/doctor/examine';
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

  it('name the way of accepting drafts only where there are drafts', () => {
    assert.match(statsTable(STATS), / seed +7 \(match\)$/);
    assert.match(
      statsTable({ ...STATS, speculationOff: 'no_drafter' }),
      / speculation +off \(no_drafter\)\n +seed +7$/,
    );
    assert.match(statsTable({ ...STATS, rounds: 1 }), / 21 in 1 round\n/);
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
      'end-to-end speed': rows.find(([name]) => name === 'end-to-end speed')?.[1],
      'peak memory': 'unknown',
      'finish reason': 'stop',
      speculation: 'unknown',
    });
  });
});

const PASS = { verdict: 'pass', largestGap: 0 } as const;
const EXAMINATION: Examination = {
  verdict: 'failed',
  nearTies: { float32: 0.001, bfloat16: 0.5 },
  machine: {
    flashline: '1.2.3',
    nodeMlx: '0.0.7',
    node: '22.0.0',
    platform: 'darwin-arm64',
    system: 'Darwin 25',
    processor: 'Apple M4',
    cores: 10,
    memoryBytes: 16e9,
    gpu: { architecture: 'applegpu_g16g', max_recommended_working_set_size: 11e9 },
  },
  seconds: 20,
  checks: [
    {
      mode: 'CPU float32',
      plain: PASS,
      drafted: { verdict: 'near tie', largestGap: 0.00042 },
      measures: {
        passMs: { 1: 20, 4: 123.4 },
        buildMs: 2,
        prefillTokensPerSecond: 1000,
        plainTokensPerSecond: 50,
        draftedTokensPerSecond: 9.5,
      },
    },
    {
      mode: 'GPU float32',
      plain: { verdict: 'fail', largestGap: 2.5 },
      drafted: PASS,
      measures: {
        passMs: { 1: 4, 16: 8 },
        buildMs: 0.5,
        prefillTokensPerSecond: 4000,
        plainTokensPerSecond: 200,
        draftedTokensPerSecond: 400,
      },
    },
    { mode: 'GPU bfloat16', problem: 'the process took too long' },
  ],
};

describe('the report of the doctor', () => {
  it('describes the machine, and has a column for each mode', () => {
    assert.equal(
      renderReport(EXAMINATION),
      `# Flashline doctor: failed

\`\`\`text
Flashline  1.2.3, node-mlx 0.0.7, Node.js 22.0.0, darwin-arm64
System     Darwin 25
Processor  Apple M4, 10 cores, 16.0 GB
GPU        applegpu_g16g, working set 11.0 GB
Time       20 s
\`\`\`

Tokens that the built-in pair chooses, with and without drafts, against the right ones. A near tie is another token that
is as probable, as far as rounding can tell: the gap is below 0.001 in float32, 0.5 in bfloat16. A step is a pass of one
row.

\`\`\`text
                               CPU float32             GPU float32     GPU bfloat16
texts                          pass                    FAIL (gap 2.5)  FAIL
texts, with drafts             near tie (gap 0.00042)  pass            FAIL
step                           20.0 ms                 4.0 ms          FAIL
verify 4 rows                  123 ms                  NaN ms          FAIL
verify 16 rows                 NaN ms                  8.0 ms          FAIL
of a step: building the graph  2.0 ms                  0.5 ms          FAIL
prefill                        1000 tok/s              4000 tok/s      FAIL
plain decoding                 50 tok/s                200 tok/s       FAIL
with drafts                    9.5 tok/s               400 tok/s       FAIL
\`\`\`

- GPU bfloat16: the process took too long
`,
    );
  });

  it('says whether there is a GPU when nothing else is known about it', () => {
    for (const [gpu, text] of [
      [null, 'none'],
      [{}, 'yes'],
    ] as const)
      assert.ok(
        renderReport({ ...EXAMINATION, machine: { ...EXAMINATION.machine, gpu } }).includes(
          `\nGPU        ${text}\n`,
        ),
      );
  });
});
