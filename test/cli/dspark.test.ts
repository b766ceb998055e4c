// Tests `flashline generate --batch` with DSpark drafters: the text equals plain decoding for any draft length and
// threshold.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DSPARK, QWEN3, readGolden } from '../support/fixtures';
import { temporaryFolder } from '../support/temporaryFolder';
import { flashlines } from './flashline';
import { printedLines } from './printed';

const ARGUMENTS = [
  [],
  ['--draft-length', '3', '--confidence-threshold', '0.4'],
  ['--confidence-threshold', '1'],
  ['--drafter-bits', '8'],
];

describe('flashline generate --batch with a DSpark drafter', () => {
  const folder = temporaryFolder();

  it('gives the tokens of plain decoding', async () => {
    const ids = readGolden(QWEN3)('input_ids');
    const file = join(folder, 'ids.jsonl');
    const lines = [40, 13, 1].map((count) => ({ promptIds: ids.slice(0, count), maxTokens: 16 }));
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const start = ['generate', '--batch', file, '--device', 'cpu', '--target', resolve(QWEN3)];
    const pair = [...start, '--drafter', resolve(DSPARK, 'gated')];
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
      // A threshold of 1 lets no draft through.
      const count = printed.reduce((sum, { stats }) => sum + Number(stats['draftedTokens']), 0);
      assert.equal(count > 0, ARGUMENTS[i]?.at(-1) !== '1');
      const notes = [/embed_tokens and lm_head/, ...(ARGUMENTS[i]?.includes('8') ? [/saves nothing/] : [])];
      for (const note of notes) assert.match(stderr, note);
      assert.equal(stderr.trim().split('\n').length, notes.length);
    }
  });
});
