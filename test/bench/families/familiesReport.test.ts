// The table and the JSON of the families: everything that was measured, under the right heads.
import assert from 'node:assert/strict';
import { familiesReport, renderFamilies } from '../../../bench/families/familiesReport';

const DENSE = {
  name: 'dense',
  size: 'all of it',
  parameters: 21_000_000,
  ms: [10, 12.34, 16],
  overDense: [1, 1, 1],
};
const OTHER = {
  name: 'other',
  size: 'some',
  parameters: 109_400_000,
  ms: [15, 20, 40],
  overDense: [1.5, 1.625, 2.5],
};

describe('familiesReport', () => {
  const report = familiesReport(3, [DENSE, OTHER]);

  it('keeps all figures and adds where they were measured', () => {
    const { cpu, cores, platform, node, ...rest } = report;
    assert.deepEqual(rest, { repeats: 3, rows: [1, 4, 16], families: [DENSE, OTHER] });
    assert.ok(cpu.length > 0 && cores > 0);
    assert.equal(platform, `${process.platform}-${process.arch}`);
    assert.equal(node, process.versions.node);
  });

  it('has a line for each family', () => {
    const lines = renderFamilies(report).split('\n');
    const cells = lines.map((line) => line.trim().split(/ {2,}/));
    assert.equal(lines[0], 'Families (random weights, 3 repeats)');
    assert.equal(cells[1]?.length, cells[3]?.length);
    assert.deepEqual(cells[2]?.slice(0, 4), ['dense', '10.0 ms', '12.3 ms', '16.0 ms']);
    assert.deepEqual(cells[3], [
      ...['other', '15.0 ms', '20.0 ms', '40.0 ms', '1.50', '1.63', '2.50'],
      ...['109 M', 'some'],
    ]);
  });
});
