// Tests the report of the doctor as a whole: every number with its unit, and a dash for missing ones.
import assert from 'node:assert/strict';
import { renderReport } from '../../server/cli/doctorReport';
import type { Examination } from '../../server/doctor/examine';
import { EXAMINED_MACHINE } from '../support/examinedMachine';

const PASS = { verdict: 'pass', largestGap: 0 } as const;
const EXAMINATION: Examination = {
  verdict: 'failed',
  nearTies: { float32: 0.001, bfloat16: 0.5 },
  machine: EXAMINED_MACHINE,
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
verify 4 rows                  123 ms                  -               FAIL
verify 16 rows                 -                       8.0 ms          FAIL
of a step: building the graph  2.0 ms                  0.5 ms          FAIL
prefill                        1000 tok/s              4000 tok/s      FAIL
plain decoding                 50 tok/s                200 tok/s       FAIL
with drafts                    9.5 tok/s               400 tok/s       FAIL
\`\`\`

- GPU bfloat16: the process took too long
`,
    );
  });

  it('compares the rows of a mixture of experts only if several were timed', () => {
    for (const [mixture, isCompared] of [
      [{ 1: 2, 256: 128 }, true],
      [{ 1: 2 }, false],
      [{}, false],
    ] as const) {
      const report = renderReport(EXAMINATION, { kernels: { layers: [], mixture }, steps: [], problems: [] });
      assert.equal(report.includes('2.0 ms, 128 ms (4.0x as fast as row by row)'), isCompared);
      assert.equal(report.includes('experts of a layer'), isCompared);
    }
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
