// The floor of a step: it consists of all products of the target, whatever its family.
import assert from 'node:assert/strict';
import { Floor, productsOf } from '../../../bench/decode/floor';
import { liveArrays, scope } from '../../../server/models/mlx/memory';
import * as mx from '../../../server/models/mlx/ops';
import { loadTarget } from '../../../server/models/families/registry';
import { cpu } from '../../support/cpu';
import { GEMMA2, QWEN2, QWEN3_MOE, QWEN3_NEXT } from '../../support/fixtures';

/** With the number of products in a step: those of each layer, and the head. */
const TARGETS = [
  // Tied: the table is the head, and counted once.
  ['Qwen2', QWEN2, 4 * 7 + 1],
  ['Gemma 2', GEMMA2, 4 * 7 + 1],
  // Attention, the router, and three products with experts.
  ['Qwen3 with experts', QWEN3_MOE, 3 * 8 + 7 + 1],
  // Two products and an output for gated delta rules; router, experts, a shared expert and its gate.
  ['Qwen3-Next', QWEN3_NEXT, 3 * (3 + 8) + (4 + 8) + 1],
] as const;

describe('the floor of a step', () => {
  for (const [name, directory, count] of TARGETS)
    it(`has every product of ${name}`, async () => {
      const before = liveArrays();
      const target = await loadTarget(directory, cpu);
      const products = productsOf(target);
      assert.equal(products.length, count);
      const sizes = scope(() =>
        products.map(({ inFeatures, run }) => run(mx.zeros([1, 1, inFeatures], mx.float32)).size),
      );
      assert.equal(sizes.at(-1), target.config.vocabSize);
      const floor = await Floor.prepare(target);
      assert.ok((await floor.run()) > 0);
      floor.dispose();
      target.dispose();
      assert.equal(liveArrays(), before);
    });
});
