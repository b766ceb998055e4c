// Drafters in fewer bits than their files hold: what is packed, how far it is from what was stored, and what stays.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Drafter } from '../../server/models/drafters/drafter';
import { liveArrays, scope } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';
import { loadDrafter, loadTarget } from '../../server/models/families/registry';
import type { TargetModel } from '../../server/models/decoder/target';
import { assertClose, valuesOf } from '../support/arrayValues';
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
