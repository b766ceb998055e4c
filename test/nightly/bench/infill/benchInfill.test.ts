// The built program with the embedded pair and made-up problems.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flashline, type Outcome } from '../../../cli/flashline';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { SPAN, SUM } from './madeUp';

const run = (...args: readonly string[]): Promise<Outcome> =>
  flashline(['infill', ...args], { program: 'dist/bench/run.js' });

function fileOf(...problems: readonly object[]): string {
  const file = join(temporaryFolder(), 'made-up.jsonl');
  writeFileSync(file, problems.map((problem) => JSON.stringify(problem)).join('\n'));
  return file;
}

describe('node dist/bench/run.js infill', () => {
  it('fills in, runs the tests, and keeps the JSON', async () => {
    const json = join(temporaryFolder(), 'infill.json');
    const { code, stdout, stderr } = await run(fileOf(SUM, SUM), '--run', '--json', json);
    assert.equal(code, 0, stderr);
    const last = stdout.trimEnd().split('\n').at(-1) ?? '';
    assert.equal(`${last}\n`, readFileSync(json, 'utf8'));
    assert.deepEqual(JSON.parse(last), { file: 'made-up.jsonl', problems: 2, exact: 1, passed: 1 });
    assert.match(stdout, /^made-up\.jsonl: 2 problems, 100\.0 % exact, 100\.0 % pass\n/);
  });

  it('lists what is not exact, and uses as many problems as asked', async () => {
    const odd = { ...SPAN, canonical_solution: '+ 0 +' };
    const { stdout, stderr } = await run(fileOf(odd, odd, odd), '--problems', '1', '--max-tokens', '8');
    assert.match(stderr, /^1\/1 RandomSpanInfilling\/MadeUp\/0\/1: expected "\+ 0 \+", got "/);
    assert.match(stdout, /^made-up\.jsonl: 1 problems, 0\.0 % exact\n/);
  });
});
