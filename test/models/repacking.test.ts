// Drafters in fewer bits than their files hold: what is packed, how far it is from what was stored, and what stays.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Device } from '../../server/models/mlx/device';
import type { Drafter } from '../../server/models/drafters/drafter';
import type { Matrix } from '../../server/models/decoder/linear';
import { liveArrays, scope } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';
import { loadDrafter, loadTarget } from '../../server/models/families/registry';
import { repacked } from '../../server/models/checkpoint/repacking';
import type { TargetModel } from '../../server/models/decoder/target';
import { arrayOf, assertClose, valuesOf } from '../support/arrayValues';
import { cpu, packedCpu } from '../support/cpu';
import { commitTaps, draftLogits } from '../support/draftRounds';
import { DSPARK, DSPARK_BUILT_IN, PAIR_TARGET, QWEN3 } from '../support/fixtures';
import { floatTensor, tensorValues } from '../support/fileTensor';
import type { FileTensors } from '../support/safetensorsFile';
import { seededIntegers } from '../support/seededRandom';
import {
  tinyDrafter,
  tinyTarget,
  withConvolutions,
  withSelector,
  writeCheckpoint,
} from '../support/tinyCheckpoint';

const [ROWS, COLUMNS] = [8, 512];
const values = seededIntegers(1, ROWS * COLUMNS, -1000, 1000).map((k) => k / 1000);

/** Values of such a matrix in `bits`, and whether it is packed. */
function packedValues(
  bits: number,
  device: Device,
  of: (dense: mx.MxArray) => Matrix = (dense) => ({ dense }),
) {
  let isPacked = false;
  let expanded: number[] = [];
  scope(() => {
    const matrix = repacked(of(arrayOf([ROWS, COLUMNS], values)), bits, device);
    isPacked = !('dense' in matrix);
    expanded = valuesOf('dense' in matrix ? matrix.dense : mx.dequantize(matrix));
    return undefined;
  });
  return { isPacked, expanded };
}

describe('repacked weights', () => {
  for (const [bits, step] of [
    [4, 2 / 15],
    [8, 2 / 255],
  ] as const)
    it(`of ${String(bits)} bits differ by half a step at most, packed or expanded alike`, () => {
      const expanded = packedValues(bits, cpu);
      const packed = packedValues(bits, packedCpu);
      assert.deepEqual([expanded.isPacked, packed.isPacked], [false, true]);
      assert.deepEqual(expanded.expanded, packed.expanded);
      assert.notDeepEqual(packed.expanded, values);
      // The kernel moves the scale so that zero stays zero, which costs up to as much again at the far end.
      assertClose(packed.expanded, values, 1.1 * step, 'weights');
    });

  it('of 16 bits are not packed, also where they were', () => {
    for (const device of [cpu, packedCpu]) {
      const { isPacked, expanded } = packedValues(16, device);
      assert.ok(!isPacked);
      assert.deepEqual(expanded, values.map(Math.fround));
      const again = packedValues(16, device, (dense) => repacked({ dense }, 8, packedCpu));
      assert.ok(!again.isPacked);
      assertClose(again.expanded, values, 0.02, 'weights');
    }
  });

  it('stay as they are where they have that width, and where the kernel takes no such rows', () => {
    scope(() => {
      const packed = repacked({ dense: arrayOf([ROWS, COLUMNS], values) }, 4, packedCpu);
      assert.equal(repacked(packed, 4, packedCpu), packed);
      for (const [columns, bits] of [
        [64, 8],
        [128, 4],
        [96, 8],
      ] as const) {
        const dense = mx.zeros([2, columns], mx.float32);
        assert.deepEqual(repacked({ dense }, bits, packedCpu), { dense });
      }
      return undefined;
    });
  });
});

describe('a drafter in other bits', () => {
  let target: TargetModel;
  let tiny: TargetModel;
  let loaded: number;
  before(async () => {
    target = await loadTarget(QWEN3, cpu);
    tiny = await loadTarget(writeCheckpoint(tinyTarget()), cpu);
  });
  after(() => {
    target.dispose();
    tiny.dispose();
  });
  beforeEach(() => (loaded = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), loaded));

  function drafts(model: TargetModel, drafter: Drafter): number[] {
    const state = drafter.newState(model, 1);
    const width = drafter.taps.length * model.config.hiddenSize;
    commitTaps(
      state,
      [1, 2, 3, 4],
      seededIntegers(3, 4 * width, -64, 64).map((k) => k / 32),
    );
    const logits = draftLogits(state, 9, drafter.maxDraftTokens).filter(Number.isFinite);
    const gains = scope(() => {
      const proposal = state.propose(9, 2);
      const ids = mx.constant([Array.from({ length: 16 }, (_, i) => i), Array<number>(16).fill(1)], mx.int32);
      return 'selector' in proposal && proposal.selector ? valuesOf(proposal.selector.gains(ids)) : [];
    });
    state.dispose();
    drafter.dispose();
    return [...logits, ...gains];
  }

  const load = async (
    model: TargetModel,
    folder: string,
    bits?: number,
    device = cpu,
    notes: string[] = [],
  ) => await loadDrafter(folder, model.config, device, { bits, onNote: (note) => notes.push(note) });

  it('drafts nearly the same, packed or expanded alike', async () => {
    for (const [model, folder] of [
      [tiny, writeCheckpoint(tinyDrafter())],
      [target, join(DSPARK, 'gated')],
    ] as const) {
      const stored = drafts(model, await load(model, folder));
      const expanded = drafts(model, await load(model, folder, 8));
      const packed = drafts(model, await load(model, folder, 8, packedCpu));
      assert.notDeepEqual(expanded, stored);
      assertClose(packed, expanded, 1e-3, 'logits');
      const [size, difference] = [0, 1].map((which) =>
        Math.hypot(...stored.map((value, i) => (which === 0 ? value : value - (expanded[i] ?? NaN)))),
      );
      assert.ok((difference ?? NaN) < 0.05 * (size ?? NaN));
      assert.deepEqual(drafts(model, await load(model, folder, 16)), stored);
    }
  });

  it('keeps its convolutions and its candidate selector as they are stored', async () => {
    const { config, tensors } = withConvolutions(withSelector(tinyDrafter(), 8), 2, 16);
    // A group of one value is packed without any loss, so that the rest decides.
    const even = Object.entries(tensors).map(([name, tensor]) => [
      name,
      /(self_attn|mlp)\..*_proj/.test(name)
        ? floatTensor(
            tensor.shape,
            tensorValues(tensor).map((_, i, all) => all[i - (i % 64)] ?? NaN),
          )
        : tensor,
    ]);
    const folder = writeCheckpoint({ config, tensors: Object.fromEntries(even) as FileTensors });
    const stored = drafts(tiny, await load(tiny, folder));
    for (const bits of [4, 8]) assert.deepEqual(drafts(tiny, await load(tiny, folder, bits)), stored);
  });

  it('drafts the same where its files have those bits, packed or expanded', async () => {
    const builtIn = await loadTarget(PAIR_TARGET, cpu);
    const expanded = drafts(builtIn, await load(builtIn, DSPARK_BUILT_IN));
    assert.deepEqual(drafts(builtIn, await load(builtIn, DSPARK_BUILT_IN, 4)), expanded);
    const packed = drafts(builtIn, await load(builtIn, DSPARK_BUILT_IN, undefined, packedCpu));
    assert.deepEqual(drafts(builtIn, await load(builtIn, DSPARK_BUILT_IN, 4, packedCpu)), packed);
    builtIn.dispose();
  });

  it('says once that the CPU saves nothing by it', async () => {
    for (const [bits, device, count] of [
      [8, cpu, 1],
      [4, cpu, 1],
      [16, cpu, 0],
      [undefined, cpu, 0],
      [8, packedCpu, 0],
    ] as const) {
      const notes: string[] = [];
      (await load(tiny, writeCheckpoint(tinyDrafter()), bits, device, notes)).dispose();
      assert.equal(notes.length, count, `${String(bits)} bits: ${notes.join()}`);
    }
  });
});
