// The table and the JSON of a busy machine: everything that was measured, under the right heads.
import assert from 'node:assert/strict';
import { busyReport, renderBusy } from '../../../bench/busy/busyReport';
import type { LoadFigures, WorkFigures } from '../../../bench/busy/compareLoads';

const overQuiet = { quiet: 1, one: 1.25, two: 2, tsc: 1.5 };
const work = (quiet: number, overOther?: WorkFigures['overOther']): WorkFigures => ({
  ms: { quiet, one: 1.25 * quiet, two: 2 * quiet, tsc: 1.5 * quiet },
  overQuiet,
  overOther,
});
const figures = (overOther?: WorkFigures['overOther']): LoadFigures => ({
  prefill: work(300, overOther),
  step: work(12, overOther),
  verify: work(18, overOther),
  suggestion: work(400, overOther),
});

describe('busyReport', () => {
  it('names the ratios of each kind of work, by load', () => {
    const report = busyReport(5, figures());
    const expected = { one: 1.25, two: 2, tsc: 1.5 };
    assert.deepEqual(report.prefillOverQuiet, expected);
    assert.deepEqual(report.stepOverQuiet, expected);
    assert.deepEqual(report.verifyOverQuiet, expected);
    assert.deepEqual(report.suggestionOverQuiet, expected);
    assert.equal(report.rounds, 5);
  });

  it('has a line for each kind of work', () => {
    const lines = renderBusy(busyReport(5, figures())).split('\n');
    const cells = lines.map((line) => line.trim().split(/ {2,}/));
    assert.deepEqual(cells[1], ['quiet', 'one endless process', 'two endless processes', 'tsc in a loop']);
    assert.deepEqual(cells[2], [
      'prefill of 512 tokens',
      ...['300 ms', '375 ms (1.25 x)', '600 ms (2.00 x)', '450 ms (1.50 x)'],
    ]);
    assert.deepEqual(cells[3]?.slice(0, 2), ['plain step', '12.0 ms']);
    assert.equal(lines.filter((line) => line !== '').length, 6);
  });

  it('compares with another build where there is one', () => {
    const text = renderBusy(busyReport(5, figures({ quiet: 0.5, one: 0.25, two: 0.1, tsc: 0.2 })));
    assert.match(text, /Relative to the other build\n/);
    assert.match(text, /suggestion over LSP +0\.50 x +0\.25 x +0\.10 x +0\.20 x/);
  });
});
