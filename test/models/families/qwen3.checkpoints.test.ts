// One model in many files: whatever the number format, the shards and the packing, the answers are those of
// the same values in one F32 file.
import assert from 'node:assert/strict';
import type { Device } from '../../../server/models/mlx/device';
import { liveArrays } from '../../../server/models/mlx/memory';
import { loadTarget } from '../../../server/models/families/registry';
import { assertClose } from '../../support/arrayValues';
import { cpu, packedCpu } from '../../support/cpu';
import { quantisedCheckpoint, type Packing } from '../../support/quantisedCheckpoint';
import { seededIntegers } from '../../support/seededRandom';
import {
  storedAs,
  tinyTarget,
  withConfig,
  withTensors,
  writeCheckpoint,
  type Checkpoint,
} from '../../support/tinyCheckpoint';
import { runWhole } from '../../support/tokenRun';

const IDS = seededIntegers(9, 12, 0, 95);

async function logitsOf(checkpoint: Checkpoint, device: Device = cpu, shards = 1): Promise<number[]> {
  const target = await loadTarget(writeCheckpoint(checkpoint, shards), device);
  const { logits } = runWhole(target, IDS);
  target.dispose();
  return logits;
}

async function assertSameModel(actual: Checkpoint, expected: Checkpoint): Promise<void> {
  assertClose(await logitsOf(actual), await logitsOf(expected), 1e-6, 'logits');
}

describe('a Qwen3 checkpoint', () => {
  const plain = tinyTarget();
  let before: number;
  beforeEach(() => (before = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), before));

  for (const dtype of ['BF16', 'F16'] as const) {
    it(`is the same model in ${dtype} as in F32`, async () => {
      await assertSameModel(storedAs(plain, dtype), plain);
    });
  }

  it('is the same model in shards as in one file', async () => {
    const { quantised } = quantisedCheckpoint(plain, { bits: 8, groupSize: 64 });
    for (const each of [plain, quantised])
      assertClose(await logitsOf(each, cpu, 3), await logitsOf(each), 1e-6, 'logits');
  });

  for (const [tied, bits, groupSize] of [
    [true, 2, 64],
    [false, 3, 32],
    [true, 4, 128],
    [false, 5, 64],
    [true, 6, 32],
    [false, 8, 128],
  ] as const) {
    const title = `${tied ? 'tied' : 'untied'} with ${bits} bits in groups of ${groupSize}`;
    it(`equals its expanded form, ${title}`, async () => {
      const source = tinyTarget({ tie_word_embeddings: tied });
      const { quantised, expanded } = quantisedCheckpoint(source, { bits, groupSize });
      const exact = await logitsOf(expanded);
      assertClose(await logitsOf(quantised), exact, 1e-6, 'expanded logits');
      assertClose(await logitsOf(quantised, packedCpu), exact, 1e-3, 'packed logits');
    });
  }

  it('may quantise single modules in another way, or not at all', async () => {
    const special: Readonly<Record<string, Packing | false>> = {
      'model.layers.0.self_attn.q_proj': { bits: 8, groupSize: 32 },
      'model.layers.1.mlp.down_proj': false,
      'model.embed_tokens': { bits: 8, groupSize: 128 },
      'model.layers.1.self_attn.v_proj': { bits: 2, groupSize: 64 },
      'model.layers.2.mlp.up_proj': { bits: 3, groupSize: 64 },
      'model.layers.2.self_attn.o_proj': { bits: 5, groupSize: 32 },
      'model.layers.0.mlp.down_proj': { bits: 6, groupSize: 128 },
      lm_head: false,
    };
    const { quantised, expanded } = quantisedCheckpoint(
      plain,
      { bits: 4, groupSize: 64 },
      (path) => special[path],
    );
    const exact = await logitsOf(expanded);
    assertClose(await logitsOf(quantised), exact, 1e-6, 'expanded logits');
    assertClose(await logitsOf(quantised, packedCpu), exact, 1e-3, 'packed logits');
  });

  it('says once that it is expanded where no kernel reads its width', async () => {
    const notes: string[] = [];
    for (const bits of [3, 4]) {
      const folder = writeCheckpoint(quantisedCheckpoint(plain, { bits, groupSize: 64 }).quantised);
      for (const device of [cpu, packedCpu]) {
        const target = await loadTarget(folder, device, undefined, (line) => notes.push(line));
        target.dispose();
      }
    }
    assert.equal(notes.length, 1);
    assert.match(notes[0] ?? '', /weights with 3 bits/);
  });

  it('is dense with or without the quantization entry, if it has no scales', async () => {
    await assertSameModel(withConfig(plain, { quantization: { bits: 4, group_size: 64 } }), plain);
    await assertSameModel(withConfig(plain, { quantization: null }), plain);
  });

  it('uses its table as the head when it calls itself tied, even if it has a head', async () => {
    const tied = tinyTarget({ tie_word_embeddings: true });
    const head = plain.tensors['lm_head.weight'];
    await assertSameModel(withTensors(tied, { 'lm_head.weight': head }), tied);
    const { quantised } = quantisedCheckpoint(plain, { bits: 8, groupSize: 64 });
    const quantisedTied = quantisedCheckpoint(tied, { bits: 8, groupSize: 64 }).quantised;
    const heads = Object.entries(quantised.tensors).filter(([name]) => name.startsWith('lm_head.'));
    assert.equal(heads.length, 3);
    await assertSameModel(withTensors(quantisedTied, Object.fromEntries(heads)), quantisedTied);
  });
});
