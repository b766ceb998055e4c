// One model in many files: whatever the number format, the shards and the packing, the answers are those of
// the same values in one F32 file.
import assert from 'node:assert/strict';
import type { Device } from '../../../server/models/mlx/device';
import { liveArrays } from '../../../server/models/mlx/memory';
import { loadTarget } from '../../../server/models/families/registry';
import { assertClose } from '../../support/arrayValues';
import { cpu, packedCpu } from '../../support/cpu';
import { floatTensor } from '../../support/fileTensor';
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

  for (const shards of [2, 5]) {
    it(`is the same model in ${shards} shards as in one file`, async () => {
      assertClose(await logitsOf(plain, cpu, shards), await logitsOf(plain), 1e-6, 'logits');
      const { quantised } = quantisedCheckpoint(plain, { bits: 8, groupSize: 64 });
      assertClose(await logitsOf(quantised, cpu, shards), await logitsOf(quantised), 1e-6, 'logits');
    });
  }

  for (const tied of [true, false]) {
    for (const bits of [2, 3, 4, 5, 6, 8]) {
      for (const groupSize of [32, 64, 128]) {
        const title = `${tied ? 'tied' : 'untied'} with ${bits} bits in groups of ${groupSize}`;
        const source = tinyTarget({ tie_word_embeddings: tied });

        it(`equals its expanded form, ${title}`, async () => {
          const { quantised, expanded } = quantisedCheckpoint(source, { bits, groupSize });
          const exact = await logitsOf(expanded);
          assertClose(await logitsOf(quantised), exact, 1e-6, 'expanded logits');
          assertClose(await logitsOf(quantised, packedCpu), exact, 1e-3, 'packed logits');
        });
      }
    }
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

  it('may mark a module as quantised like the rest', async () => {
    const { quantised, expanded } = quantisedCheckpoint(plain, { bits: 4, groupSize: 64 });
    const quantization = { bits: 4, group_size: 64, mode: 'affine', lm_head: true };
    await assertSameModel(withConfig(quantised, { quantization }), expanded);
  });

  it('is dense with or without the quantization entry, if it has no scales', async () => {
    await assertSameModel(withConfig(plain, { quantization: { bits: 4, group_size: 64 } }), plain);
    await assertSameModel(withConfig(plain, { quantization: null }), plain);
  });

  it('may hold the rotary frequencies that some exporters add', async () => {
    const frequencies = floatTensor([16], Array<number>(16).fill(1));
    const added = {
      'model.rotary_emb.inv_freq': frequencies,
      'model.layers.0.self_attn.rotary_emb.inv_freq': frequencies,
    };
    await assertSameModel(withTensors(plain, added), plain);
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

  it('has a head of its own when the file does not say', async () => {
    await assertSameModel(withConfig(plain, { tie_word_embeddings: undefined }), plain);
  });

  it('may spell its rotary settings in either way', async () => {
    const newer = { rope_theta: undefined, rope_parameters: { rope_theta: 1e6, rope_type: 'default' } };
    await assertSameModel(withConfig(plain, newer), plain);
    await assertSameModel(withConfig(plain, { rope_scaling: null }), plain);
  });

  it('is another model with other rotary settings', async () => {
    const usual = await logitsOf(plain);
    const yarn = { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 128 };
    for (const config of [{ rope_theta: 1e4 }, { rope_scaling: yarn }, { rms_norm_eps: 0.5 }]) {
      assert.notDeepEqual(await logitsOf(withConfig(plain, config)), usual);
    }
  });

  it('of half precision takes no more arrays than one of F32', async () => {
    const [half, whole] = await Promise.all(
      [storedAs(plain, 'BF16'), plain].map((checkpoint) => loadTarget(writeCheckpoint(checkpoint), cpu)),
    );
    const both = liveArrays();
    half?.dispose();
    assert.equal(both - liveArrays(), liveArrays() - before);
    whole?.dispose();
  });
});
