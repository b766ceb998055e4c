// `flashline generate --batch` with the DSpark drafter for the built-in target: the text of plain decoding for all draft
// lengths, thresholds and widths.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { flashlines } from '../../cli/flashline';
import { printedLines } from '../../cli/printed';
import { pairCases } from '../../support/embeddedPair';
import { DSPARK_BUILT_IN, PAIR_TARGET } from '../../support/fixtures';
import { temporaryFolder } from '../../support/temporaryFolder';

describe('flashline generate --batch with the DSpark drafter for the built-in target', () => {
  const wholeBlock = 7;
  const between = Array.from({ length: wholeBlock - 1 }, (_, i) => String(i + 1));
  const lengths = ['0', ...between, String(wholeBlock), 'full', 'adaptive'];
  const thresholds = ['0.1', '0.5', '0.9', '1'];
  const runs = [
    ...lengths.map((length) => ['--draft-length', length]),
    ...thresholds.map((threshold) => ['--confidence-threshold', threshold]),
    ['--draft-length', 'adaptive', '--confidence-threshold', '0.5'],
    ['--draft-length', '3', '--confidence-threshold', '0.7'],
    ...['4', '8', '16'].map((bits) => ['--drafter-bits', bits]),
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
