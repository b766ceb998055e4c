// The one program that measures: its names, and the charts that it draws from the results of this repository.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchReport } from '../../../bench/decode/decodeReport';
import type { ReplayReport } from '../../../bench/replay/replayReport';
import { flashline, type Outcome } from '../../cli/flashline';
import { temporaryFolder } from '../../support/temporaryFolder';

const run = (...args: readonly string[]): Promise<Outcome> =>
  flashline(args, { program: 'dist/bench/run.js' });

const result = <Report>(name: string): Report =>
  JSON.parse(readFileSync(`bench/results/${name}.json`, 'utf8')) as Report;

describe('node dist/bench/run.js', () => {
  it('lists its programs, each of which has help', async () => {
    const { code, stdout } = await run();
    assert.equal(code, 0);
    const names = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name);
    assert.ok(names.length > 5);
    for (const name of names) assert.equal((await run(name, '--help')).code, 0, name);
    const { code: wrong, stderr } = await run('constructor');
    assert.equal(wrong, 2);
    assert.match(stderr, new RegExp(`Expected one of ${names.join(', ')}, got "constructor"`));
  });

  it('types as "flashline replay" does', async () => {
    const { code, stdout, stderr } = await run('replay', '--keys', '8', '--speed', '10');
    assert.equal(code, 0, stderr);
    const { cases } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as ReplayReport;
    assert.ok(Object.keys(cases).length > 0);
  });

  it('draws what was measured, with the numbers as text', async () => {
    const folder = temporaryFolder();
    const { code, stderr } = await run('charts', 'bench/results', folder);
    assert.equal(code, 0, stderr);
    const texts = (name: string): string[] =>
      [...readFileSync(join(folder, `${name}.svg`), 'utf8').matchAll(/<text[^>]*>([^<]*)</g)].map(
        ([, text = '']) => text,
      );
    const { lengths, adaptiveSpeedup } = result<BenchReport>('decode');
    const speeds = [...lengths.map(({ speedup }) => speedup), adaptiveSpeedup].map((each) => each.toFixed(2));
    assert.deepEqual(
      speeds.filter((speed) => !texts('speed-up').includes(speed)),
      [],
    );
    const { cases } = result<ReplayReport>('replay');
    for (const { count, p50, p99 } of Object.values(cases)) {
      const shown = texts('latency');
      assert.ok(shown.some((text) => text.endsWith(`(${count})`)));
      for (const ms of [p50, p99]) assert.ok(shown.includes((ms ?? NaN).toFixed(0)), String(ms));
    }
  });
});
