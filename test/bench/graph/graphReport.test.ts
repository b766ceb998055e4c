// The report has the figures of a GPU's graphs at its top, those of the CPU beside them, and another build's if there
// is one.
import assert from 'node:assert/strict';
import type { NetworkFigures } from '../../../bench/graph/compareGraphs';
import { graphReport, renderGraphs, type MeasuredGraphs } from '../../../bench/graph/graphReport';

const own = (callsPerStep: number) => ({ callsPerStep, buildMs: 1.5, freeMs: 0.25 });
const alone = (calls: number): NetworkFigures => ({
  own: own(calls),
  other: undefined,
  overOther: undefined,
});
const beside = (calls: number): NetworkFigures => ({
  own: own(calls),
  other: own(5 * calls),
  overOther: 0.4,
});
const measured = (figures: (calls: number) => NetworkFigures): MeasuredGraphs => ({
  gpu: { dense: figures(100), mixture: figures(110), hybrid: figures(120) },
  cpu: { dense: figures(200), mixture: figures(210), hybrid: figures(220) },
});

describe('the report on graphs', () => {
  it('says what a step costs in each network', () => {
    const report = graphReport(7, measured(alone));
    const { dense, mixture, hybrid, onCpu, layers, rounds } = report;
    assert.deepEqual([dense, mixture, hybrid], [own(100), own(110), own(120)]);
    assert.deepEqual(onCpu, { dense: own(200), mixture: own(210), hybrid: own(220) });
    assert.deepEqual({ layers, rounds }, { layers: 36, rounds: 7 });
    const lines = renderGraphs(report).split('\n');
    assert.match(lines[0] ?? '', /36 layers .*7 rounds/);
    assert.match(lines[2] ?? '', /^ *dense, as on a GPU +100 +1\.50 ms +0\.25 ms$/);
    assert.match(lines[7] ?? '', /^ *hybrid, as on a CPU +220 +1\.50 ms +0\.25 ms$/);
  });

  it('compares with another build', () => {
    const report = graphReport(7, measured(beside));
    assert.deepEqual(report.dense, { ...own(100), against: own(500), overOther: 0.4 });
    assert.match(
      renderGraphs(report).split('\n')[2] ?? '',
      /100 +1\.50 ms +0\.25 ms +500 calls, 1\.50 ms \+ 0\.25 ms +0\.40 x$/,
    );
  });
});
