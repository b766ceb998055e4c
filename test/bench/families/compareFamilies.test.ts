// Families are loaded, timed beside the dense one and freed; how long a step takes is no test's business.
import assert from 'node:assert/strict';
import { compareFamilies } from '../../../bench/families/compareFamilies';
import { DENSE, FAMILIES, type Family } from '../../../bench/families/families';
import { familiesReport, renderFamilies } from '../../../bench/families/familiesReport';
import { sizeOfAll } from '../../../bench/families/randomCheckpoint';
import { liveArrays } from '../../../server/models/mlx/memory';
import { cpu } from '../../support/cpu';

const progressed: string[] = [];
const compare = (families: readonly Family[]) =>
  compareFamilies({
    dense: DENSE,
    families,
    repeats: 1,
    device: cpu,
    progress: (name) => void progressed.push(name),
  });

describe('compareFamilies', () => {
  it('times each family in the table, the dense one first, and leaves nothing behind', async () => {
    const before = liveArrays();
    const results = await compare(FAMILIES);
    assert.equal(liveArrays(), before);
    const families = [DENSE, ...FAMILIES];
    const names = families.map(({ name }) => name);
    assert.deepEqual(progressed, names);
    assert.deepEqual(
      results.map(({ name, size, parameters }) => ({ name, size, parameters })),
      families.map(({ name, size, plan }) => ({ name, size, parameters: sizeOfAll(plan) })),
    );
    for (const { ms, overDense } of results) {
      assert.equal(ms.length, 3);
      assert.equal(overDense.length, 3);
      assert.ok([...ms, ...overDense].every((value) => Number.isFinite(value) && value > 0));
    }
    const lines = renderFamilies(familiesReport(1, results)).split('\n');
    assert.deepEqual(
      lines.slice(2, 2 + names.length).map((line) => line.trim().split(' ')[0]),
      names,
    );
  });

  it('frees the dense one when a family does not load', async () => {
    const before = liveArrays();
    const broken: Family = { ...DENSE, name: 'broken', plan: { ...DENSE.plan, shapes: {} } };
    await assert.rejects(() => compare([broken]), /model\.embed_tokens/);
    assert.equal(liveArrays(), before);
  });
});
