// `flashline generate --batch` with DSpark drafters: the text of plain decoding for all draft lengths, thresholds and
// widths, and what is said about numbers that make no sense.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pairCases } from '../support/embeddedPair';
import { DSPARK, DSPARK_BUILT_IN, GEMMA4, PAIR_TARGET, QWEN3, readGolden } from '../support/fixtures';
import { fullSize } from '../support/fullSize';
import { temporaryFolder } from '../support/temporaryFolder';
import { itComplainsAbout } from './complaint';
import { flashlines } from './flashline';
import { printedLines } from './printed';

const ARGUMENTS = [
  [],
  ['--draft-length', '1'],
  ['--draft-length', '3', '--confidence-threshold', '0.4'],
  ['--confidence-threshold', '0.5'],
  ['--confidence-threshold', '1'],
  ['--draft-length', 'adaptive', '--confidence-threshold', '0.3'],
  ['--drafter-bits', '8'],
];

describe('flashline generate --batch with a DSpark drafter', () => {
  const folder = temporaryFolder();

  for (const [target, heads] of [
    [QWEN3, ['vanilla', 'gated', 'rnn']],
    [GEMMA4, ['gemma4']],
  ] as const)
    for (const head of heads)
      it(`gives the tokens of plain decoding (${head})`, async () => {
        const ids = readGolden(target)('input_ids');
        const file = join(folder, `${head}.jsonl`);
        const lines = [40, 13, 1].map((count) => ({ promptIds: ids.slice(0, count), maxTokens: 16 }));
        writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
        const start = ['generate', '--batch', file, '--device', 'cpu', '--target', resolve(target)];
        const pair = [...start, '--drafter', resolve(DSPARK, head)];
        const [plain, ...drafted] = await flashlines([
          [...start, '--drafter', 'none'],
          ...ARGUMENTS.map((more) => [...pair, ...more]),
        ]);
        const expected = printedLines(plain?.stdout ?? '').map(({ tokenIds }) => tokenIds);
        assert.equal(expected.length, 3);
        for (const [i, { stdout, stderr, code }] of drafted.entries()) {
          assert.equal(code, 0, stderr);
          const printed = printedLines(stdout);
          assert.deepEqual(
            printed.map(({ tokenIds }) => tokenIds),
            expected,
            ARGUMENTS[i]?.join(' '),
          );
          const count = printed.reduce((sum, { stats }) => sum + Number(stats['draftedTokens']), 0);
          assert.equal(count > 0, ARGUMENTS[i]?.at(-1) !== '1' || ARGUMENTS[i][0] === '--draft-length');
          const notes = [
            /embed_tokens and lm_head/,
            ...(ARGUMENTS[i]?.includes('8') ? [/saves nothing/] : []),
          ];
          for (const note of notes) assert.match(stderr, note);
          assert.equal(stderr.trim().split('\n').length, notes.length);
        }
      });

  const generate = (...more: readonly string[]) => ['generate', '--prompt', 'x', ...more];
  itComplainsAbout([
    ...['1.5', '-1', 'high', ''].map(
      (value) =>
        [
          `a threshold of ${JSON.stringify(value)}`,
          generate(`--confidence-threshold=${value}`),
          '--confidence-threshold to be a number from 0 to 1',
          `"${value}"`,
        ] as const,
    ),
    ...['3', '32', 'stored', ''].map(
      (value) =>
        [
          `a drafter of ${JSON.stringify(value)} bits`,
          generate(`--drafter-bits=${value}`),
          '--drafter-bits to be 4 or 8 or 16',
          `"${value}"`,
        ] as const,
    ),
  ]);
});

describe('flashline generate --batch with the DSpark drafter for the built-in target', () => {
  const wholeBlock = 7;
  const between = Array.from({ length: wholeBlock - 1 }, (_, i) => String(i + 1));
  const lengths = ['0', ...(fullSize ? between : ['4']), String(wholeBlock), 'full', 'adaptive'];
  const thresholds = ['0.5', '1', ...(fullSize ? ['0.1', '0.9'] : [])];
  const runs = [
    ...lengths.map((length) => ['--draft-length', length]),
    ...thresholds.map((threshold) => ['--confidence-threshold', threshold]),
    ...(fullSize ? [['--draft-length', 'adaptive', '--confidence-threshold', '0.5']] : []),
    ['--draft-length', '3', '--confidence-threshold', '0.7'],
    ...['4', ...(fullSize ? ['8', '16'] : [])].map((bits) => ['--drafter-bits', bits]),
  ];

  it('gives the tokens of plain decoding at lengths and thresholds, in fewer rounds', async () => {
    const file = join(temporaryFolder(), 'prompts.jsonl');
    const lines = pairCases
      .toSorted((a, b) => a.prompt_ids.length - b.prompt_ids.length)
      .slice(0, 3)
      .map(({ prompt_ids: promptIds }) => ({ promptIds, maxTokens: 24 }));
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const target = ['--target', resolve(PAIR_TARGET)];
    const start = ['generate', '--batch', file, '--device', 'cpu', ...target];
    const [plain, ...drafted] = await flashlines([
      [...start, '--drafter', 'none'],
      ...runs.map((more) => [...start, '--drafter', resolve(DSPARK_BUILT_IN), ...more]),
    ]);
    const tokensOf = (stdout = '') => printedLines(stdout).map(({ tokenIds }) => tokenIds);
    const expected = tokensOf(plain?.stdout);
    assert.equal(expected.length, lines.length);
    for (const [i, { stdout, stderr, code }] of drafted.entries()) {
      assert.equal(code, 0, stderr);
      assert.deepEqual(tokensOf(stdout), expected, runs[i]?.join(' '));
    }
    const total = (run: readonly string[], count: string) =>
      printedLines(drafted[runs.findIndex((each) => each.join() === run.join())]?.stdout ?? '')
        .map(({ stats }) => Number(stats[count]))
        .reduce((sum, each) => sum + each);
    const perRound = (...run: readonly string[]) => total(run, 'roundTokens') / total(run, 'rounds');
    assert.equal(perRound('--draft-length', '0'), 1);
    assert.equal(perRound('--confidence-threshold', '1'), 1);
    assert.ok(perRound('--draft-length', 'full') > 1.5);
    assert.ok(perRound('--drafter-bits', '4') > 1.5);
    // Fewer drafts, of which more are right.
    const share = (...run: readonly string[]) => total(run, 'acceptedTokens') / total(run, 'draftedTokens');
    assert.ok(share('--confidence-threshold', '0.5') > share('--draft-length', 'full'));
  });
});
