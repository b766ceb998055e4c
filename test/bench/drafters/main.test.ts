// The built program: what it cannot do, its options, and, at full size, its report on the built-in drafter.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DraftersReport } from '../../../bench/drafters/draftersReport';
import { assertComplains } from '../../cli/assertComplains';
import { flashline, type Outcome } from '../../cli/flashline';
import { fullSize } from '../../support/fullSize';
import { temporaryFolder } from '../../support/temporaryFolder';

const run = (...args: readonly string[]): Promise<Outcome> =>
  flashline(args, { program: 'dist/bench/drafters.js' });

describe('npm run bench:drafters', () => {
  it('complains before it loads anything', async () => {
    const whole = 'to be a whole number from \\d+ to \\d+, got';
    await assertComplains(run, [
      [['--repeats', '0'], new RegExp(`^bench:drafters: Expected --repeats ${whole} "0"; `)],
      [['--max-tokens', '1'], new RegExp(`^bench:drafters: Expected --max-tokens ${whole} "1"; `)],
      [['--prompts', '17'], new RegExp(`^bench:drafters: Expected --prompts ${whole} "17"; `)],
      [['--device', 'tpu'], /^bench:drafters: Expected --device to be cpu or gpu, got "tpu"; /],
      [['--drafter', 'folder'], /^bench:drafters: Expected --drafter to be NAME=FOLDER, .* got "folder"; /],
      [['--drafter', 'x=/no/folder'], /^bench:drafters: Expected a model directory at \/no\/folder, got /],
      [['--json', '/no/folder/x'], /^bench:drafters: Expected --json to be a file that can be written, /],
      [['--length'], /^bench:drafters: Expected known options, /],
    ]);
  });

  it('tells its options', async () => {
    const { code, stdout } = await run('--help');
    assert.equal(code, 0);
    for (const option of ['drafter', 'target', 'device', 'json', 'prompts', 'repeats', 'max-tokens'])
      assert.ok(stdout.includes(`--${option} `), option);
  });

  (fullSize ? it : it.skip)(
    'compares the built-in drafter with itself and without its selector',
    async () => {
      const json = join(temporaryFolder(), 'drafters.json');
      const small = ['--prompts', '1', '--repeats', '1', '--max-tokens', '8', '--json', json];
      const { code, stdout, stderr } = await run('--drafter', 'x=media/model/drafter', ...small);
      assert.equal(code, 0, stderr);
      const printed = stdout.trimEnd().split('\n').at(-1) ?? '';
      const report = JSON.parse(printed) as DraftersReport;
      assert.equal(readFileSync(json, 'utf8').trimEnd(), printed);
      assert.ok(report.identical);
      const names = ['x', 'x without selector'];
      assert.deepEqual(
        report.drafters.map(({ name }) => name),
        [...names, 'look-ups alone'],
      );
      assert.deepEqual(Object.keys(report.bits), names);
    },
  );
});
