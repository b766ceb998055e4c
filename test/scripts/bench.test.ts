// scripts/bench.mjs: which parts npm run bench has, and that it ends at the first one that fails.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../support/temporaryFolder';

interface Bench {
  benchParts(args: readonly string[]): string[][];
  runParts(parts: readonly (readonly string[])[]): Promise<number>;
}

describe('scripts/bench.mjs', () => {
  let bench: Bench;
  before(async () => {
    bench = (await import(pathToFileURL(resolve('scripts/bench.mjs')).href)) as Bench;
  });

  const parts = (...args: string[]): string[] =>
    bench
      .benchParts(args)
      .map((part) => part.map((each) => (each.startsWith('/') ? relative('.', each) : each)).join(' '));

  it('measures decoding with the given arguments and typing with its own, and draws', () => {
    const sampled =
      'dist/cli.js bench --temperature 0.7 --repeats 2 --max-tokens 64 --repeats 3 --acceptance';
    assert.deepEqual(parts('--repeats', '3'), [
      'dist/cli.js bench --json bench/results/decode.json --repeats 5 --max-tokens 64 --repeats 3',
      `${sampled} match --json bench/results/sampled-match.json`,
      `${sampled} rejection --json bench/results/sampled-rejection.json`,
      'dist/cli.js replay --json bench/results/replay.json --keys 1000',
      'dist/bench/run.js charts',
    ]);
  });

  it('only prints the help when asked for it', () => {
    assert.deepEqual(parts('--help'), [
      'dist/cli.js bench --json bench/results/decode.json --repeats 5 --max-tokens 64 --help',
    ]);
    assert.equal(parts('-h').length, 1);
  });

  it('runs nothing but the published benchmark when that is asked for', () => {
    assert.deepEqual(parts('infill', 'set.jsonl', '--run'), ['dist/bench/run.js infill set.jsonl --run']);
  });

  it('runs the parts in their order and ends at the first that fails, with its exit code', async () => {
    const file = join(temporaryFolder(), 'said');
    const saying = (word: string): string[] => [
      '-e',
      'fs.appendFileSync(...process.argv.slice(1))',
      file,
      word,
    ];
    const failing = ['-e', 'process.exit(3)'];
    const crashing = ['-e', 'process.kill(process.pid, "SIGKILL")'];
    assert.equal(await bench.runParts([saying('a'), saying('b')]), 0);
    assert.equal(await bench.runParts([saying('c'), failing, saying('d')]), 3);
    assert.equal(await bench.runParts([crashing, saying('e')]), 1);
    assert.equal(readFileSync(file, 'utf8'), 'abc');
  });
});
