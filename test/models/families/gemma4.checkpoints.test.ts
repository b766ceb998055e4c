// One Gemma 4 in many files: as the text part of models that read images and hear, in the names of both publishers,
// with its experts stacked in another way, and with windows that layers share.
import assert from 'node:assert/strict';
import type { Device } from '../../../server/models/mlx/device';
import { loadTarget } from '../../../server/models/families/registry';
import { assertClose } from '../../support/arrayValues';
import { cpu } from '../../support/cpu';
import { floatTensor, tensorValues, type FileTensor } from '../../support/fileTensor';
import { GEMMA4, GEMMA4_E, GEMMA4_MOE, readCheckpoint, readGolden } from '../../support/fixtures';
import type { Entries } from '../../support/gemmaConfig';
import { seededIntegers } from '../../support/seededRandom';
import { withConfig, withTensors, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';
import { runInChunks, runWhole } from '../../support/tokenRun';

const IDS = readGolden(GEMMA4)('input_ids');
const VOCABULARY = 256;

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
    // Just enough for rows to be dropped: a whole pass holds the square of it for each layer until its end.
    const ids = seededIntegers(3, 1100, 0, VOCABULARY - 1);
    const last = (logits: readonly number[]) => logits.slice(-VOCABULARY);
    const whole = last(runWhole(target, ids).logits);
    for (const sizes of [[600, 460, 30, 10], [256]])
      assertClose(
        last(runInChunks(target, ids, sizes).logits),
        whole,
        1e-3,
        `logits in chunks of ${sizes.join()}`,
      );
    target.dispose();
  });
});

describe('a Gemma 4 checkpoint with experts', () => {
  const stacked = inMlxLayout(readCheckpoint(GEMMA4_MOE));

  it('may hold them as mlx-lm does', async () => {
    assert.deepEqual(await logitsOf(stacked), await logitsOf(readCheckpoint(GEMMA4_MOE)));
  });
});
