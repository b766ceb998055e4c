// The built program with the real server: a start, an unload and a start again, whose parts are the whole.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartReport } from '../../../../bench/start/startReport';
import { flashline, type Outcome } from '../../../cli/flashline';
import { temporaryFolder } from '../../../support/temporaryFolder';

const run = (...args: readonly string[]): Promise<Outcome> =>
  flashline(['start', ...args], { program: 'dist/bench/run.js' });

describe('node dist/bench/run.js start', () => {
  it('measures a start and what it is made of, prints a table and JSON, and keeps the JSON', async () => {
    const json = join(temporaryFolder(), 'start.json');
    const { code, stdout, stderr } = await run('--runs', '1', '--json', json);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^1\/1 \d+, \d+ ms\n$/);
    assert.match(stdout, /^Start \(matrix\.py:42:18, medians of 1 runs\)\n/);
    const last = stdout.trimEnd().split('\n').at(-1) ?? '';
    assert.equal(`${last}\n`, readFileSync(json, 'utf8'));
    const { firstSuggestionMs, reloadedSuggestionMs, parts } = JSON.parse(last) as StartReport;
    const loading = ['engine', 'files', 'tokenizer', 'weights', 'prefill', 'decode', 'other'];
    assert.deepEqual(Object.keys(parts.first), ['process', 'modules', 'handshake', ...loading]);
    assert.deepEqual(Object.keys(parts.reloaded), loading);
    for (const [whole, each] of [
      [firstSuggestionMs, parts.first],
      [reloadedSuggestionMs, parts.reloaded],
    ] as const) {
      const sum = Object.values(each).reduce((all, ms) => all + ms, 0);
      assert.ok(Math.abs(whole - sum) < 1, `${String(whole)} ms, of parts ${String(sum)} ms`);
    }
    assert.equal(parts.reloaded['prefill'], 0, 'what was read before is not read again');
  });
});
