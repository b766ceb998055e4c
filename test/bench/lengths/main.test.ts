// The built program: what it cannot do, its options, and, at full size, its report on the embedded pair.
import assert from 'node:assert/strict';
import type { DecodeBenchResult } from '../../../bench/decode/decodeBench';
import { assertComplains } from '../../cli/assertComplains';
import { flashline, type Outcome } from '../../cli/flashline';
import { fullSize } from '../../support/fullSize';

const run = (...args: readonly string[]): Promise<Outcome> =>
  flashline(args, { program: 'dist/bench/lengths.js' });

describe('npm run bench:lengths', () => {
  it('complains before it loads anything', async () => {
    await assertComplains(run, [
      [
        ['--repeats', '0'],
        /^bench:lengths: Expected --repeats to be a whole number from 1 to \d+, got "0"; /,
      ],
      [
        ['--max-tokens', '1'],
        /^bench:lengths: Expected --max-tokens to be a whole number from 2 to \d+, got /,
      ],
      [['--holes', '0'], /^bench:lengths: Expected --holes to be a whole number from 1 to \d+, got "0"; /],
      [['--length'], /^bench:lengths: Expected known options, /],
    ]);
  });

  it('tells its options', async () => {
    const { code, stdout } = await run('--help');
    assert.equal(code, 0);
    for (const option of ['--target', '--drafter', '--holes', '--repeats', '--max-tokens'])
      assert.ok(stdout.includes(option));
  });

  (fullSize ? it : it.skip)('compares lengths on three kinds of prompts, with the same tokens', async () => {
    const { code, stdout, stderr } = await run('--holes', '2', '--repeats', '1', '--max-tokens', '4');
    assert.equal(code, 0, stderr);
    const report = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, DecodeBenchResult>;
    assert.deepEqual(Object.keys(report), ['holes', 'continuations', 'texts']);
    for (const { identical, lengths, adaptive } of Object.values(report)) {
      assert.ok(identical);
      assert.deepEqual(
        lengths.map(({ draftLength }) => draftLength),
        [3, 5, 7, 11],
      );
      assert.ok(adaptive.overBestFixed > 0 && adaptive.worstPrompt > 0);
    }
  });
});
