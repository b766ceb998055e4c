// One Gemma 4 in many files: as the text part of models that read images and hear, in the names of both publishers,
// with its experts stacked in another way. And what its parts change, and what they do not.
import assert from 'node:assert/strict';
import type { Device } from '../../../server/models/mlx/device';
import { loadTarget } from '../../../server/models/families/registry';
import { assertClose, rowsOf } from '../../support/arrayValues';
import { cpu, packedCpu } from '../../support/cpu';
import { floatTensor, tensorValues, type FileTensor } from '../../support/fileTensor';
import { GEMMA4, GEMMA4_E, GEMMA4_MOE, readCheckpoint, readGolden } from '../../support/fixtures';
import type { Entries } from '../../support/gemmaConfig';
import { quantisedCheckpoint } from '../../support/quantisedCheckpoint';
import { assertRefused } from '../../support/refusal';
import { seededIntegers } from '../../support/seededRandom';
import { withConfig, withTensors, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';
import { runInChunks, runWhole } from '../../support/tokenRun';

const IDS = readGolden(GEMMA4)('input_ids');
const VOCABULARY = 256;
const WINDOW = 16;

async function logitsOf(checkpoint: Checkpoint, device: Device = cpu): Promise<number[]> {
  const target = await loadTarget(writeCheckpoint(checkpoint), device);
  const { logits } = runWhole(target, IDS);
  target.dispose();
  return logits;
}

const OTHERS = [
  'vision_tower.x.weight',
  'embed_vision.x.weight',
  'audio_tower.x.weight',
  'embed_audio.x.weight',
];
const renamed = ({ tensors }: Checkpoint, rename: (name: string) => string) =>
  Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [rename(name), tensor]));

/** As published: the text part beside others, with one field each for the heads of layers that see everything. */
function published(own: Checkpoint, prefix: string, rename: (name: string) => string): Checkpoint {
  const { eos_token_id, tie_word_embeddings, per_layer_config, ...text } = own.config;
  const { head_dim, num_key_value_heads } = (per_layer_config as Record<string, Entries>)['2'] ?? {};
  const heads = { global_head_dim: head_dim, num_global_key_value_heads: num_key_value_heads ?? null };
  const others = OTHERS.map((name) => [prefix + name, floatTensor([2], [1, 1])] as const);
  return {
    config: {
      model_type: 'gemma4',
      eos_token_id,
      tie_word_embeddings,
      vision_config: {},
      audio_config: null,
      text_config: { ...text, ...heads },
    },
    tensors: { ...renamed(own, rename), ...Object.fromEntries(others) },
  };
}

/** Gate and up apart, as mlx-lm stacks them. */
function inMlxLayout({ config, tensors }: Checkpoint): Checkpoint {
  const split = Object.entries(tensors).flatMap(([name, tensor]): (readonly [string, FileTensor])[] => {
    const path = name.replace(/\.experts\..*$/, '.experts.switch_glu');
    if (name.endsWith('.experts.down_proj')) return [[`${path}.down_proj.weight`, tensor]];
    if (!name.endsWith('.experts.gate_up_proj')) return [[name, tensor]];
    const [count = 0, rows = 0, columns = 0] = tensor.shape;
    const values = tensorValues(tensor);
    const half = (from: number) =>
      values.filter((_, i) => Math.floor((i % (rows * columns)) / ((rows / 2) * columns)) === from);
    return ['gate_proj', 'up_proj'].map((own, from) => [
      `${path}.${own}.weight`,
      floatTensor([count, rows / 2, columns], half(from)),
    ]);
  });
  return { config, tensors: Object.fromEntries(split) };
}

for (const directory of [GEMMA4, GEMMA4_E, GEMMA4_MOE]) {
  describe(`a Gemma 4 checkpoint, ${directory}`, () => {
    const plain = readCheckpoint(directory);
    const logitsWith = (entries: Entries) => logitsOf(withConfig(plain, entries));
    let usual: number[];
    before(async () => (usual = await logitsOf(plain)));

    it('is the text part of a model that reads images', async () => {
      const nested = (name: string) => name.replace(/^model\./, 'model.language_model.');
      assert.deepEqual(await logitsOf(published(plain, 'model.', nested)), usual);
      assert.deepEqual(await logitsOf(published(plain, '', (name) => `language_model.${name}`)), usual);
    });

    for (const model_type of ['gemma4', 'gemma4_text', 'gemma4_unified', 'gemma4_unified_text'])
      it(`may call itself ${model_type}`, async () => {
        assert.deepEqual(await logitsWith({ model_type }), usual);
      });

    it('may hold its table twice', async () => {
      const table = plain.tensors['model.embed_tokens.weight'];
      assert.deepEqual(await logitsOf(withTensors(plain, { 'lm_head.weight': table })), usual);
    });

    it('is refused with tensors of a part that nobody knows', async () => {
      const more = withTensors(plain, { 'taste_tower.norm.weight': floatTensor([1], [1]) });
      const folder = writeCheckpoint(more);
      await assertRefused(() => loadTarget(folder, cpu), 'unexpected tensor taste_tower.norm.weight');
    });

    it('sees more with a wider window, but not inside the narrow one', async () => {
      const wide = await logitsWith({ sliding_window: 40 });
      const inWindow = (logits: readonly number[]) => rowsOf(logits, VOCABULARY, 0, WINDOW);
      assertClose(inWindow(wide), inWindow(usual), 1e-3);
      assert.throws(() => assertClose(wide, usual, 1e-2));
    });

    it('has logits below its soft cap', async () => {
      const capped = await logitsWith({ final_logit_softcapping: 2 });
      const exact = await logitsWith({ final_logit_softcapping: null });
      assertClose(
        capped,
        exact.map((logit) => 2 * Math.tanh(logit / 2)),
        1e-5,
      );
      assert.ok(exact.some((logit) => logit > 2));
    });

    it('multiplies what each layer gives', async () => {
      const scalar = { 'model.layers.5.layer_scalar': floatTensor([1], [0.5]) };
      // The last layer's scale goes out in the norm that follows, but for its epsilon.
      assertClose(await logitsOf(withTensors(plain, scalar)), usual, 1e-3);
      const earlier = { 'model.layers.1.layer_scalar': floatTensor([1], [0.5]) };
      assert.notDeepEqual(await logitsOf(withTensors(plain, earlier)), usual);
    });
  });
}

describe('a Gemma 4 checkpoint that shares keys and values', () => {
  const plain = readCheckpoint(GEMMA4_E);

  it('may hold some for layers that use none, as published files do', async () => {
    const left = ['k_proj', 'v_proj', 'k_norm'].flatMap((name) =>
      [4, 5].map(
        (layer) => [`model.layers.${layer}.self_attn.${name}.weight`, floatTensor([3], [1, 1, 1])] as const,
      ),
    );
    const more = withTensors(plain, Object.fromEntries(left));
    assert.deepEqual(await logitsOf(more), await logitsOf(plain));
  });

  it('sees the same through a shared window once older rows are dropped', async () => {
    const target = await loadTarget(GEMMA4_E, cpu);
    const ids = seededIntegers(3, 1400, 0, VOCABULARY - 1);
    const last = (logits: readonly number[]) => logits.slice(-VOCABULARY);
    const whole = last(runWhole(target, ids).logits);
    for (const sizes of [[700, 600, 90, 10], [1200, 1], [256]])
      assertClose(
        last(runInChunks(target, ids, sizes).logits),
        whole,
        1e-3,
        `logits in chunks of ${sizes.join()}`,
      );
    target.dispose();
  });

  it('is refused with them in other layers', async () => {
    const name = 'model.layers.3.self_attn.v_norm.weight';
    const folder = writeCheckpoint(
      withTensors(plain, { [name]: floatTensor([16], Array<number>(16).fill(1)) }),
    );
    await assertRefused(() => loadTarget(folder, cpu), `unexpected tensor ${name}`);
  });
});

describe('a Gemma 4 checkpoint with experts', () => {
  const stacked = inMlxLayout(readCheckpoint(GEMMA4_MOE));

  it('may hold them as mlx-lm does', async () => {
    assert.deepEqual(await logitsOf(stacked), await logitsOf(readCheckpoint(GEMMA4_MOE)));
  });

  it('may have them packed, and the router in another way', async () => {
    const { quantised, expanded } = quantisedCheckpoint(stacked, { bits: 4, groupSize: 32 }, (path) =>
      path.endsWith('router.proj') ? { bits: 8, groupSize: 64 } : undefined,
    );
    const exact = await logitsOf(expanded);
    for (const device of [cpu, packedCpu])
      assertClose(await logitsOf(quantised, device), exact, 5e-3, 'logits');
  });
});
