// A checkpoint by chance is one that loads, as large as planned and the same every time.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sizeOfAll, writeRandomCheckpoint } from '../../../bench/families/randomCheckpoint';
import { tensorValues } from '../../support/fileTensor';
import { readFileTensors } from '../../support/safetensorsFile';
import { temporaryFolder } from '../../support/temporaryFolder';

const PLAN = {
  config: { model_type: 'some' },
  // The last is larger than the noise that the writer has at hand.
  shapes: { norm: [5], embed_tokens: [3, 70], stack: [2, 3, 5], wide: [1025, 1024] },
};

describe('writeRandomCheckpoint', () => {
  const folder = temporaryFolder();
  before(() => writeRandomCheckpoint(folder, PLAN));
  const file = join(folder, 'model.safetensors');

  it('writes the planned tensors and config.json', () => {
    const tensors = readFileTensors(file);
    const shapes = Object.entries(tensors).map(([name, { shape, dtype }]) => [name, shape, dtype]);
    assert.deepEqual(
      shapes,
      Object.entries(PLAN.shapes).map(([name, shape]) => [name, shape, 'BF16']),
    );
    assert.deepEqual(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')), PLAN.config);
    const sizes = Object.values(tensors).map((tensor) => tensorValues(tensor).length);
    assert.deepEqual(sizes, [5, 210, 30, 1025 * 1024]);
    assert.equal(sizeOfAll(PLAN), 5 + 210 + 30 + 1025 * 1024);
  });

  it('fills norms with ones, tables with large and matrices with small values of both signs', () => {
    const values = (name: string) => tensorValues(readFileTensors(file)[name] ?? assert.fail(name));
    assert.ok(values('norm').every((value) => value === 1));
    for (const [name, least] of [
      ['embed_tokens', 1],
      ['stack', 1 / 128],
      ['wide', 1 / 128],
    ] as const) {
      const all = values(name);
      assert.ok(all.every((value) => Math.abs(value) >= least && Math.abs(value) < 2 * least));
      const positive = all.filter((value) => value > 0).length / all.length;
      assert.ok(positive > 0.2 && positive < 0.8);
      assert.ok(new Set(all).size > 10);
    }
  });

  it('writes the same every time', () => {
    const other = temporaryFolder();
    writeRandomCheckpoint(other, PLAN);
    assert.ok(readFileSync(join(other, 'model.safetensors')).equals(readFileSync(file)));
  });
});
