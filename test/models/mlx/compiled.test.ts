// Tests that compiled layers, the code path of a GPU, compute the same as plain ones. On a CPU this needs a C++
// compiler, so only this test compiles there.
import { execFileSync } from 'node:child_process';
import { core } from '../../../server/models/mlx/binding';
import type { Device } from '../../../server/models/mlx/device';
import { loadTarget } from '../../support/loadModels';
import { assertClose } from '../../support/arrayValues';
import { testDevice } from '../../support/testDevice';
import { QWEN3, readGolden } from '../../support/fixtures';
import { fullSize } from '../../support/fullSize';
import { TARGET_FAMILIES } from '../../support/targetFamilies';
import { runInChunks } from '../../support/tokenRun';

const compiling: Device = { ...testDevice, name: 'gpu' };

/** One family outside nightly runs: compiling takes seconds for each family and number of rows. */
const FAMILIES = TARGET_FAMILIES.filter(({ directory }) => fullSize || directory === QWEN3);
const CHUNKS = fullSize ? [1, 7, 1, 2, 1] : [1, 2, 1];

function hasCompiler(): boolean {
  try {
    execFileSync('g++', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('compiled layers', () => {
  before(function () {
    if (!hasCompiler()) this.skip();
    core.enableCompile?.();
  });
  after(() => core.disableCompile?.());

  for (const { name, directory, noise = 1e-4 } of FAMILIES) {
    it(`computes the same with compiled layers as with plain ones: ${name}`, async () => {
      const ids = readGolden(directory)('input_ids').slice(
        0,
        CHUNKS.reduce((sum, rows) => sum + rows),
      );
      const run = async (device: Device) => {
        const target = await loadTarget(directory, device);
        try {
          return runInChunks(target, ids, CHUNKS).logits;
        } finally {
          target.dispose();
        }
      };
      assertClose(await run(compiling), await run(testDevice), noise, 'logits');
    });
  }
});
