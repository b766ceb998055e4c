// Tests that a pass in parts, as on a GPU, computes the same as a whole pass, and that other work gets turns between
// its parts.
import assert from 'node:assert/strict';
import { MAX_TRACED_ROWS } from '../../../server/models/mlx/compiled';
import type { Device } from '../../../server/models/mlx/device';
import { inParts } from '../../../server/models/mlx/inParts';
import { liveArrays, scope } from '../../../server/models/mlx/memory';
import { evaluateAndGiveTurns } from '../../../server/models/mlx/evaluation';
import * as mx from '../../../server/models/mlx/ops';
import { loadTarget } from '../../support/loadModels';
import { assertClose } from '../../support/arrayValues';
import { testDevice } from '../../support/testDevice';
import { EMBEDDED_PAIR, shortPrompt } from '../../support/embeddedPair';
import { readGolden } from '../../support/fixtures';
import { TARGET_FAMILIES } from '../../support/targetFamilies';
import { runInChunks } from '../../support/tokenRun';

const gpu: Device = { ...testDevice, name: 'gpu' };
/** Minimum number of rows whose layers are not compiled, as compiling on a CPU needs a C++ compiler. */
const LONG = MAX_TRACED_ROWS + 1;

/** Returns the parts of a pass of 10 layers. */
async function partsOf(name: Device['name'], rows: number): Promise<[number, number][]> {
  const parts: [number, number][] = [];
  const end = scope(() => {
    let h = mx.zeros([1, rows, 2], mx.float32);
    inParts(name, 10, rows, (from, to) => {
      parts.push([from, to]);
      h = mx.add(h, 1);
      return { h, needed: [] };
    });
    return h;
  });
  await evaluateAndGiveTurns(end);
  const counts = mx.numbers(mx.slice(mx.reshape(end, -1), 0, 0, 1));
  assert.deepEqual(counts, [parts.length], 'the parts were not computed in order');
  return parts;
}

describe('passes in parts', () => {
  it('runs all layers at once on a CPU, and a few layers at a time on a GPU', async () => {
    const few = [
      [0, 4],
      [4, 8],
      [8, 10],
    ];
    assert.deepEqual(await partsOf('cpu', 1), [[0, 10]]);
    assert.deepEqual(await partsOf('gpu', 1), few);
    assert.deepEqual(await partsOf('gpu', LONG), few);
  });

  it('computes the same in parts as in a whole pass, and leaves no arrays', async () => {
    const ids = shortPrompt(0, 2 * LONG);
    const arraysBefore = liveArrays();
    const run = async (device: Device) => {
      const target = await loadTarget(EMBEDDED_PAIR.targetDirectory, device);
      try {
        return runInChunks(target, ids, [LONG, LONG]).logits;
      } finally {
        target.dispose();
      }
    };
    assertClose(await run(gpu), await run(testDevice), 1e-4, 'logits');
    assert.equal(liveArrays(), arraysBefore);
  });

  // On a GPU, few rows are not sorted by expert, and a kernel computes rotations.
  for (const { name, directory, noise = 1e-4 } of TARGET_FAMILIES.filter(({ unrounded }) => unrounded))
    it(`computes the same with few rows as on a CPU: ${name}`, async () => {
      const ids = readGolden(directory)('input_ids');
      const run = async (device: Device) => {
        const target = await loadTarget(directory, device);
        try {
          return runInChunks(target, ids, [7, 1, 32]).logits;
        } finally {
          await evaluateAndGiveTurns();
          target.dispose();
        }
      };
      assertClose(await run(gpu), await run(testDevice), noise, 'logits');
    });

  it('gives the event loop turns during a long pass', async () => {
    const target = await loadTarget(EMBEDDED_PAIR.targetDirectory, gpu);
    const caches = target.newCaches(LONG);
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    try {
      const hidden = scope(() => target.forward(mx.zeros([LONG], mx.int32), caches, []).hidden);
      setImmediate(turn);
      await evaluateAndGiveTurns(hidden);
      isOver = true;
      // Ten turns after each part and ten at the end. A whole pass gives ten in all, and one for V8's collector.
      assert.ok(turns > 2 * 11, `${String(turns)} turns`);
    } finally {
      for (const cache of caches) cache.dispose();
      target.dispose();
    }
  });
});
