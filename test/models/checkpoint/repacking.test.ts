// Tests drafters in fewer bits than their files: which modules are packed, how far they differ, and which stay as
// stored.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { liveArrays } from '../../../server/models/mlx/memory';
import { loadTarget } from '../../support/loadModels';
import type { TargetModel } from '../../../server/models/decoder/target';
import { assertClose } from '../../support/arrayValues';
import { testDevice, packedDevice } from '../../support/testDevice';
import { draftsOfFiles } from '../../support/draftsOfFiles';
import { DSPARK, DSPARK_BUILT_IN, PAIR_TARGET, QWEN3 } from '../../support/fixtures';
import { floatTensor, tensorValues } from '../../support/fileTensor';
import type { FileTensors } from '../../support/safetensorsFile';
import {
  tinyDrafter,
  tinyTarget,
  withConvolutions,
  withSelector,
  writeCheckpoint,
} from '../../support/tinyCheckpoint';

describe('a drafter packed in other bits than its files', () => {
  let target: TargetModel;
  let tiny: TargetModel;
  let arraysBefore: number;
  before(async () => {
    target = await loadTarget(QWEN3, testDevice);
    tiny = await loadTarget(writeCheckpoint(tinyTarget()), testDevice);
  });
  after(() => {
    target.dispose();
    tiny.dispose();
  });
  beforeEach(() => (arraysBefore = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), arraysBefore));

  const drafts = async (model: TargetModel, folder: string, bits?: number, device = testDevice) => {
    const { logits, gains } = await draftsOfFiles(model, folder, { bits, device });
    return [...logits, ...gains];
  };

  it('drafts nearly the same as with stored weights, whether packed or expanded', async () => {
    for (const [model, folder] of [
      [tiny, writeCheckpoint(tinyDrafter())],
      [target, join(DSPARK, 'gated')],
    ] as const) {
      const stored = await drafts(model, folder);
      const expanded = await drafts(model, folder, 8);
      const packed = await drafts(model, folder, 8, packedDevice);
      assert.notDeepEqual(expanded, stored);
      assertClose(packed, expanded, 1e-3, 'logits');
      const size = Math.hypot(...stored);
      const difference = Math.hypot(...stored.map((value, i) => value - (expanded[i] ?? NaN)));
      assert.ok(difference < 0.05 * size, `${difference} of ${size}`);
      assert.deepEqual(await drafts(model, folder, 16), stored);
    }
  });

  it('keeps convolutions and candidate selector as stored', async () => {
    const { config, tensors } = withConvolutions(withSelector(tinyDrafter(), 8), 2, 16);
    // Groups of equal values are packed without loss, so only packed convolutions or selectors would change the drafts.
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
    const stored = await drafts(tiny, folder);
    for (const bits of [4, 8]) assert.deepEqual(await drafts(tiny, folder, bits), stored);
  });

  it('drafts the same if its files already have the requested bits', async () => {
    const builtIn = await loadTarget(PAIR_TARGET, testDevice);
    const expanded = await drafts(builtIn, DSPARK_BUILT_IN);
    assert.deepEqual(await drafts(builtIn, DSPARK_BUILT_IN, 4), expanded);
    const packed = await drafts(builtIn, DSPARK_BUILT_IN, undefined, packedDevice);
    assert.deepEqual(await drafts(builtIn, DSPARK_BUILT_IN, 4, packedDevice), packed);
    builtIn.dispose();
  });

  it('logs once that fewer bits save nothing on a CPU', async () => {
    for (const [bits, device, count] of [
      [8, testDevice, 1],
      [4, testDevice, 1],
      [16, testDevice, 0],
      [undefined, testDevice, 0],
      [8, packedDevice, 0],
    ] as const) {
      const { notes } = await draftsOfFiles(tiny, tinyDrafter(), { bits, device });
      assert.equal(notes.length, count, `${String(bits)} bits: ${notes.join()}`);
      for (const note of notes)
        assert.match(note, new RegExp(`of ${String(bits)} bits saves nothing here: the CPU`));
    }
  });
});
