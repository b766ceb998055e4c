// The built program with the embedded pair: a few holes, the same pair against itself, and what it cannot do.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HolesReport } from '../../../../bench/holes/holesReport';
import { flashline, type Outcome } from '../../../cli/flashline';
import { temporaryFolder } from '../../../support/temporaryFolder';

const run = (...args: readonly string[]): Promise<Outcome> =>
  flashline(['holes', ...args], { program: 'dist/bench/run.js' });

describe('node dist/bench/run.js holes', () => {
  it('fills holes with two pairs, prints tables and JSON, and keeps the JSON', async () => {
    const json = join(temporaryFolder(), 'holes.json');
    const { code, stdout, stderr } = await run('--holes', '2', '--against', 'media/model', '--json', json);
    assert.equal(code, 0, stderr);
    const last = stdout.trimEnd().split('\n').at(-1) ?? '';
    assert.equal(`${last}\n`, readFileSync(json, 'utf8'));
    const report = JSON.parse(last) as HolesReport;
    const [ours, theirs] = report.pairs;
    assert.deepEqual([ours?.target, ours?.drafter], ['embedded', 'embedded']);
    assert.deepEqual([theirs?.target, theirs?.drafter], ['model', 'model']);
    assert.equal(ours?.figures[0]?.holes, 2);
    assert.ok(ours.figures[0].tokensPerRound > 1);
    // The same models at the same holes.
    assert.deepEqual(ours.figures, theirs?.figures);
    const none = { relative: 0, low: 0, high: 0 };
    assert.deepEqual(report.change, { exactMatch: none, editSimilarity: none });
    assert.match(stdout, /^Holes \(embedded, drafter embedded\)\n/);
  });
});
