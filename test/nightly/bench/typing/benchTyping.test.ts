// The built program with the embedded pair: the pauses of one program in a project.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TypingReport } from '../../../../bench/typing/typingReport';
import { flashline, type Outcome } from '../../../cli/flashline';
import { temporaryFolder } from '../../../support/temporaryFolder';

const run = (...args: readonly string[]): Promise<Outcome> =>
  flashline(['typing', ...args], { program: 'dist/bench/run.js' });

describe('node dist/bench/run.js typing', () => {
  it('judges the pauses of a program, prints a table and JSON, and keeps the JSON', async () => {
    const json = join(temporaryFolder(), 'typing.json');
    const { code, stdout, stderr } = await run('--quick', '--only', 'statement', '--json', json);
    assert.equal(code, 0, stderr);
    const last = stdout.trimEnd().split('\n').at(-1) ?? '';
    assert.equal(`${last}\n`, readFileSync(json, 'utf8'));
    const [all, ...others] = (JSON.parse(last) as TypingReport).figures;
    assert.ok(all);
    assert.deepEqual([all.programs, ...others.map(({ name }) => name)], [1, 'tune', 'tune typescript']);
    assert.ok(all.pauses > 20 && all.wanted > 0 && all.beginsRight > 0);
    assert.ok(Math.abs(all.wanted + all.beginsRight + all.wrong + all.none - 1) < 1e-6);
    const told = stderr
      .split('\n')
      .filter((line) => line.startsWith('typescript/invoicing/src/statement.ts: '));
    assert.equal(told.length, Math.round(all.wrong * all.pauses));
  });
});
