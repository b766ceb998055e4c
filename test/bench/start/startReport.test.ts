// The table and the JSON of starts: medians of everything that was measured.
import assert from 'node:assert/strict';
import type { MeasuredStart } from '../../../bench/start/measureStart';
import { renderStart, startReport } from '../../../bench/start/startReport';

const start = (ms: number, probe?: number): MeasuredStart => ({
  first: { ms, parts: { process: ms / 2, ...(probe !== undefined && { probe }), other: 1 } },
  reloaded: { ms: ms / 10, parts: { weights: ms / 20, other: 2 } },
});

describe('startReport', () => {
  const report = startReport('a.py:1:2', [start(1000, 7), start(900.04), start(1200)]);

  it('has the medians, and where they were measured', () => {
    const { cpu, cores, platform, node, ...rest } = report;
    assert.deepEqual(rest, {
      runs: 3,
      example: 'a.py:1:2',
      firstSuggestionMs: 1000,
      reloadedSuggestionMs: 100,
      // A part that most runs have not is none.
      parts: { first: { process: 500, probe: 0, other: 1 }, reloaded: { weights: 50, other: 2 } },
    });
    assert.ok(cpu.length > 0 && cores > 0);
    assert.equal(platform, `${process.platform}-${process.arch}`);
    assert.equal(node, process.versions.node);
  });

  it('reads as a table of both', () => {
    const rows = renderStart(report)
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/));
    assert.deepEqual(rows, [
      ['Start (a.py:1:2, medians of 3 runs)'],
      ['ms', 'first', 'after unloading'],
      ['suggestion', '1000', '100'],
      ['process', '500', '-'],
      ['probe', '0', '-'],
      ['other', '1', '2'],
      ['weights', '-', '50'],
    ]);
  });
});
