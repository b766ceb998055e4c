// `flashline replay` as a person runs it: mistakes are named, and a short run with the embedded pair gives all the
// figures. How large they are is no test's business.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Losslessness } from '../../../../bench/replay/lossless';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { itComplainsAbout } from '../../../cli/complaint';
import { flashline } from '../../../cli/flashline';

const TEXT = `export function max(a: number, b: number): number {
  if (a > b) {
    return a;
  }
  return b;
}

export function min(a: number, b: number): number {
  if (a < b) {
    return a;
  }
  return b;
}
`;

type Figures = Readonly<Record<string, unknown>>;

const CASES = ['typedThrough', 'afterAccept', 'coldFile', 'warmSingleLine', 'warmMultiLine', 'recalled'];

describe('flashline replay', () => {
  const folder = temporaryFolder();
  before(() => {
    writeFileSync(join(folder, 'a.ts'), TEXT);
    writeFileSync(join(folder, 'b.ts'), TEXT.replaceAll('number', 'bigint'));
    writeFileSync(join(folder, 'empty.ts'), '\n \n');
  });

  const replay = (...args: readonly string[]) => ['replay', '--speed', '50', '--file', 'a.ts', ...args];

  itComplainsAbout(
    [
      ['no keys', replay('--keys', '0'), '--keys', '"0"'],
      ['a seed that is no number', replay('--seed', 'x'), '--seed', '"x"'],
      ['a speed of 0', replay('--speed', '0'), '--speed', '0.1 to 1000', '"0"'],
      ['a speed that is no number', replay('--speed', 'fast'), '--speed', '"fast"'],
      ['too much patience', replay('--patience', '60001'), '--patience', '60000'],
      ['a file that is not there', replay('--file', 'absent.ts'), 'absent.ts', 'got nothing'],
      ['a file without text', replay('--file', 'empty.ts'), 'something to type', 'empty.ts'],
      ['a debounce beyond the limit', replay('--debounce', '5001'), '--debounce', '5000'],
      ['another way to prefetch', replay('--prefetch', 'often'), '--prefetch', '"often"'],
      ['too much memory', replay('--cache-memory', '65537'), '--cache-memory', '65536'],
      ['a file in a folder that is not there', replay('--json', join('no', 'a.json')), '--json', 'a.json'],
      ['a place', replay('a.ts:1:1'), "'a.ts:1:1'"],
    ],
    () => folder,
  );
  // It starts its own program once more, as a server.
  itComplainsAbout(
    [['a target that is not there', replay('--target', 'nowhere'), 'nowhere', 'load its models']],
    () => folder,
    flashline,
  );

  it('prints tables and, as its last line, the figures that it also writes to a file', async () => {
    const args = replay('--file', 'b.ts', '--keys', '24', '--json', 'replay.json', '--debounce', '1');
    const { stdout, stderr, ...ended } = await flashline(args, { cwd: folder });
    assert.deepEqual(ended, { code: 0, signal: null }, stderr);
    assert.match(stderr, /^3 of 2\d keys\n/);
    assert.match(stdout, /^Time to suggestion \(ms\)\n/);
    const last = stdout.trimEnd().split('\n').at(-1) ?? '';
    assert.equal(readFileSync(join(folder, 'replay.json'), 'utf8'), `${last}\n`);
    const report = JSON.parse(last) as Figures;
    assertFigures(report);
    const { keys, seed, speed, debounceMs, files } = report;
    const expected = { keys: 24, seed: 1, speed: 50, debounceMs: 1, files: ['a.ts', 'b.ts'] };
    assert.deepEqual({ keys, seed, speed, debounceMs, files }, expected);
  });

  it('verifies that all decodes are those of the target alone', async () => {
    const { stdout, stderr, ...ended } = await flashline(replay('--keys', '12', '--verify'), { cwd: folder });
    assert.deepEqual(ended, { code: 0, signal: null }, stderr);
    const report = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Figures;
    assertFigures(report);
    const { requests, equal, nearTies, different, tokens, tiedTokens } = report['lossless'] as Losslessness;
    assert.ok(requests > 0 && tokens >= requests && tiedTokens >= nearTies);
    assert.deepEqual([equal + nearTies, different], [requests, 0]);
    assert.ok(stdout.includes(`${String(tiedTokens)} of ${String(tokens)} tokens\n`));
  });
});

function assertFigures(report: Figures): void {
  const cases = report['cases'] as Record<string, Record<string, number | null>>;
  assert.deepEqual(Object.keys(cases), CASES);
  for (const [name, { count, p50, p95, p99 }] of Object.entries(cases)) {
    if (count === 0) assert.deepEqual([p50, p95, p99], [null, null, null], name);
    else assert.ok(0 < Number(p50) && Number(p50) <= Number(p95) && Number(p95) <= Number(p99), name);
  }
  const number = (name: string): number => {
    const value = report[name];
    assert.ok(
      typeof value === 'number' && Number.isFinite(value) && value >= 0,
      `${name} is ${String(value)}`,
    );
    return value;
  };
  assert.ok('cancelMsP95' in report && 'waitMsP95' in report);
  assert.ok(number('reuseRate') <= 1);
  assert.ok(number('engineMsPerCharacter') >= number('engineMsPerCharacterWithoutPrefetch'));
  assert.ok(number('engineMsPerCharacterWithoutPrefetch') > 0);
  assert.equal(number('requests'), number('shown') + number('nothing') + number('cancelled'));
  const shown = Object.values(cases).reduce((sum, { count }) => sum + Number(count), 0);
  assert.equal(shown, number('shown'));
  assert.ok(number('typedCharacters') > 0);
  assert.equal(report['interrupted'], false);
}
