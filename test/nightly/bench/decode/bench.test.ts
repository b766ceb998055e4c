// `flashline bench`: the figures are there and make sense. How large they are is no test's business.
// The small target keeps it short; its context only just holds the prefill of 512 tokens.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SourceStats } from '../../../../server/engine/request/stats';
import { DFLASH } from '../../../support/fixtures';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { itComplainsAbout } from '../../../cli/complaint';
import { flashline, type Outcome } from '../../../cli/flashline';
import { writeSmallTarget } from '../../../cli/smallTarget';

const FIGURES = [
  'plainMsPerToken',
  'speculativeMsPerToken',
  'speedup',
  'tokensPerRound',
  'verify16OverPlain',
  'prefillTokensPerSecond',
  'graphBuildShare',
  'peakRssMb',
  'bestDraftLength',
  'adaptiveMsPerToken',
  'adaptiveSpeedup',
  'adaptiveOverBestFixed',
  'adaptiveWorstPrompt',
  'adaptiveTokensPerRound',
];

/** Those that a run with sampling has too. */
const SAMPLED_FIGURES = FIGURES.filter(
  (name) => !['verify16OverPlain', 'prefillTokensPerSecond'].includes(name),
);

interface SampledReport extends Readonly<Record<string, unknown>> {
  readonly lengths: readonly { readonly draftLength: number }[];
  readonly sampling: object;
  readonly sampler: readonly Readonly<Record<'rows' | 'ms' | 'hostMs' | 'share', number>>[];
}

interface Report extends Readonly<Record<string, unknown>> {
  readonly lengths: readonly Readonly<Record<string, number>>[];
  readonly verifyMsByWidth: readonly number[];
  readonly adaptiveSources: readonly SourceStats[];
}

/** What is said before anything is measured. */
const START = ['loading the models'];
const PROMPTS = Array.from({ length: 16 }, (_, i) => `repeat 1 of 1, prompt ${String(i + 1)} of 16`);
const DECODING = [...START, 'warm-up', ...PROMPTS];
const STEPS = ['timing steps of each width', 'timing prefill of 512 tokens'];

describe('flashline bench', () => {
  const folder = temporaryFolder();
  const pair = ['--target', 'small', '--drafter', resolve(DFLASH)];
  const bench = (...args: readonly string[]) => ['bench', '--max-tokens', '4', '--repeats', '1', ...args];
  const run = (...args: readonly string[]): Promise<Outcome> => flashline(bench(...args), { cwd: folder });
  before(() => void writeSmallTarget({ folder: join(folder, 'small'), context: 560 }));

  itComplainsAbout(
    [
      ['no repeats', ['bench', '--repeats', '0'], '--repeats', '1 to 1000', '"0"'],
      ['too few tokens', ['bench', '--max-tokens', '1'], '--max-tokens', '2 to 1000', '"1"'],
      ['--json without a file', ['bench', '--json'], '--json', 'missing'],
      ['a file in a folder that is not there', bench('--json', join('absent', 'a.json')), '--json', 'absent'],
      ['a folder as file', bench('--json', 'small'), '--json', '"small"'],
      ['a place', bench('x.ts:1:1'), "'x.ts:1:1'"],
    ],
    () => folder,
  );

  it('prints a table and, as its last line, the figures that it also writes to a file', async () => {
    const file = join(folder, 'bench.json');
    writeFileSync(file, 'an older report, which is longer than the new one'.repeat(100));
    const { stdout, stderr, ...ended } = await run(...pair, '--json', 'bench.json');
    assert.deepEqual(ended, { code: 0, signal: null });
    assert.deepEqual(stderr.split('\n'), [...DECODING, ...STEPS, '']);
    assert.match(stdout, /^Decoding \(16 prompts, 4 tokens each, 1 repeats\)\n/);
    assert.match(stdout, /^ {2}adaptive +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d$/m);
    const last = stdout.trimEnd().split('\n').at(-1) ?? '';
    assert.equal(readFileSync(file, 'utf8'), `${last}\n`);
    assertReport(JSON.parse(last) as Report, [3, 5, 7]);
  });

  it('measures sampling, and what the sampler costs', async () => {
    const args = ['--temperature', '0.7', '--top-p', '0.95', '--acceptance', 'match'];
    const { stdout, stderr, ...ended } = await run(...pair, '--draft-length', '3', ...args);
    assert.deepEqual(ended, { code: 0, signal: null });
    assert.deepEqual(stderr.split('\n'), [...DECODING, 'timing passes with and without the sampler', '']);
    assert.match(stdout, /^Sampling \(temperature 0\.7, topP 0\.95, acceptance \w+, seed 1; 16 prompts, /);
    const report = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as SampledReport;
    assert.deepEqual(report.sampling, { temperature: 0.7, topP: 0.95, acceptance: 'match', seed: 1 });
    assert.equal(report['identical'], true);
    assert.deepEqual(
      report.lengths.map(({ draftLength }) => draftLength),
      [3],
    );
    for (const key of SAMPLED_FIGURES) assert.ok(Number(report[key]) > 0, key);
    assert.deepEqual(
      report.sampler.map(({ rows }) => rows),
      [1, 4, 8, 16],
    );
    for (const { ms, hostMs, share } of report.sampler) assert.ok(ms > hostMs && hostMs > 0 && share < 1);
  });
});

function assertReport(report: Report, draftLengths: readonly number[]): void {
  const measured = report.lengths.map(({ draftLength }) => draftLength);
  assert.deepEqual(measured, draftLengths);
  assert.equal(report.verifyMsByWidth.length, 16);
  const figures = [
    ...FIGURES.map((key) => [key, report[key]] as const),
    ...report.lengths.flatMap((length) => Object.entries(length)),
    ...report.verifyMsByWidth.map((ms, i) => [`verify ${String(i + 1)}`, ms] as const),
  ];
  for (const [key, value] of figures) {
    assert.ok(typeof value === 'number' && Number.isFinite(value) && value > 0, `${key} is ${String(value)}`);
  }
  assert.ok(measured.includes(Number(report['bestDraftLength'])));
  for (const { name, rounds, drafted, accepted } of report.adaptiveSources) {
    assert.ok(['dflash', 'ngram'].includes(name));
    assert.ok(rounds > 0 && drafted >= rounds && accepted <= drafted);
  }
  assert.equal(report['identical'], true);
  assert.deepEqual([report['prompts'], report['maxTokens'], report['repeats']], [16, 4, 1]);
}
