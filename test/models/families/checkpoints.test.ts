// Tests that a model computes the same from files with different names, layouts and packing. The goldens test published
// names of whole families, weights.test.ts single tensors.
import assert from 'node:assert/strict';
import { liveArrays } from '../../../server/models/mlx/memory';
import { loadTarget } from '../../support/loadModels';
import { assertClose } from '../../support/arrayValues';
import { testDevice } from '../../support/testDevice';
import { inExpertLayout } from '../../support/expertLayout';
import { floatTensor, tensorValues, type FileTensor } from '../../support/fileTensor';
import {
  GEMMA3,
  GEMMA4,
  GEMMA4_E,
  GEMMA4_MOE,
  LLAMA,
  MELLUM,
  MINISTRAL3,
  MISTRAL,
  QWEN3_5,
  QWEN3_MOE,
  QWEN3_NEXT,
  readCheckpoint,
} from '../../support/fixtures';
import { logitsOf } from '../../support/logitsOf';
import { inImageModel, inMlxLayout } from '../../support/publishedLayout';
import { quantisedCheckpoint } from '../../support/quantisedCheckpoint';
import { seededIntegers } from '../../support/seededRandom';
import {
  storedAs,
  tinyTarget,
  withConfig,
  withTensors,
  writeCheckpoint,
  type Checkpoint,
} from '../../support/tinyCheckpoint';
import { runInChunks, runWhole } from '../../support/tokenRun';

const filled = (size: number, value: number) => floatTensor([size], Array<number>(size).fill(value));

async function assertSame(reference: Checkpoint, ...variants: readonly Checkpoint[]): Promise<void> {
  const expected = await logitsOf(reference);
  for (const variant of variants) assertClose(await logitsOf(variant), expected, 1e-6, 'logits');
}

describe('a model', () => {
  let arraysBefore: number;
  beforeEach(() => (arraysBefore = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), arraysBefore));

  it('computes the same in half precision and in shards, dense or packed', async () => {
    const plain = tinyTarget();
    const { quantised } = quantisedCheckpoint(plain, { bits: 8, groupSize: 64 });
    await assertSame(plain, storedAs(plain, 'BF16'), storedAs(plain, 'F16'));
    // The quantization in the config has no effect on tensors without scales.
    await assertSame(plain, withConfig(plain, { quantization: { bits: 4, group_size: 64 } }));
    for (const checkpoint of [plain, quantised])
      assertClose(await logitsOf(checkpoint, testDevice, 3), await logitsOf(checkpoint), 1e-6, 'logits');
  });

  it('uses its table as head when its config says tied, even if it has a head', async () => {
    const packing = { bits: 8, groupSize: 64 };
    const [plain, tied] = [tinyTarget(), tinyTarget({ tie_word_embeddings: true })];
    for (const [headless, untied] of [
      [tied, plain],
      [quantisedCheckpoint(tied, packing).quantised, quantisedCheckpoint(plain, packing).quantised],
    ] as const) {
      const head = Object.entries(untied.tensors).filter(([name]) => name.startsWith('lm_head.'));
      await assertSame(headless, withTensors(headless, Object.fromEntries(head)));
    }
  });

  it('uses its table as head when its config says nothing and it has no head', async () => {
    const llama = readCheckpoint(LLAMA);
    const silent = { tie_word_embeddings: undefined };
    const headless = withTensors(llama, { 'lm_head.weight': undefined });
    await assertSame(withConfig(headless, { tie_word_embeddings: true }), withConfig(headless, silent));
    await assertSame(llama, withConfig(llama, silent));
  });

  for (const [field, sizes] of [
    [
      'attention_bias',
      { 'self_attn.q_proj': 64, 'self_attn.k_proj': 32, 'self_attn.v_proj': 32, 'self_attn.o_proj': 64 },
    ],
    ['mlp_bias', { 'mlp.gate_proj': 128, 'mlp.up_proj': 128, 'mlp.down_proj': 64 }],
  ] as const)
    it(`reads the biases that ${field} announces`, async () => {
      const llama = readCheckpoint(LLAMA);
      const biases = (value: number, part = '') =>
        Object.entries(sizes).flatMap(([name, size]) =>
          [0, 1, 2, 3].map(
            (i) => [`model.layers.${i}.${name}.bias`, filled(size, name === part ? value : 0)] as const,
          ),
        );
      const biased = (value: number, part?: string) =>
        withConfig(withTensors(llama, Object.fromEntries(biases(value, part))), { [field]: true });
      await assertSame(llama, biased(0));
      // A bias of the keys alone changes attention only because rotation follows it.
      for (const name of Object.keys(sizes))
        assert.notDeepEqual(await logitsOf(biased(0.5, name)), await logitsOf(llama), name);
    });

  it('ignores tensors that no pass needs', async () => {
    for (const [directory, names] of [
      // The rotary tables of old exporters.
      [LLAMA, [0, 1, 2, 3].map((i) => `model.layers.${i}.self_attn.rotary_emb.inv_freq`)],
      // Tensors that predict further tokens.
      [MELLUM, ['mtp.norm.weight', 'model.mtp.norm.weight', 'model.layers.4.enorm.weight']],
      // Keys and values of layers that share those of an earlier layer.
      [GEMMA4_E, ['k_proj', 'v_proj', 'k_norm'].map((name) => `model.layers.5.self_attn.${name}.weight`)],
      // Parts for images and sounds.
      [
        MINISTRAL3,
        [
          'vision_tower.x',
          'model.vision_tower.x',
          'multi_modal_projector.x',
          'model.multi_modal_projector.x',
        ],
      ],
      [
        GEMMA4,
        ['vision_embedder.x', 'model.audio_tower.x', 'model.embed_audio.x', 'multi_modal_projector.x'],
      ],
      [QWEN3_5, ['visual.x', 'vision_tower.x', 'model.visual.x', 'model.mtp.x']],
    ] as const) {
      const checkpoint = readCheckpoint(directory);
      const added = Object.fromEntries(names.map((name) => [name, filled(3, 1)]));
      await assertSame(checkpoint, withTensors(checkpoint, added));
    }
  });

  for (const layout of ['stacked', 'fused'] as const)
    it(`computes the same with ${layout} experts as with one tensor per expert`, async () => {
      const single = readCheckpoint(QWEN3_MOE);
      const converted = inExpertLayout(single, layout);
      const expected = await logitsOf(single);
      assert.deepEqual(await logitsOf(converted), expected);
      assert.deepEqual(await logitsOf(converted, testDevice, 3), expected);
    });

  it('computes the same with the experts of Gemma 4 as mlx-lm stacks them', async () => {
    const fused = readCheckpoint(GEMMA4_MOE);
    await assertSame(fused, withExpertsApart(fused));
  });

  it('computes differently with other settings of its experts', async () => {
    const single = readCheckpoint(QWEN3_MOE);
    for (const config of [{ norm_topk_prob: false }, { num_experts_per_tok: 3 }])
      assert.notDeepEqual(await logitsOf(withConfig(single, config)), await logitsOf(single));
  });

  for (const directory of [QWEN3_5, QWEN3_NEXT])
    it(`computes the same from a hybrid as mlx-lm stores it: ${directory}`, async () => {
      const checkpoint = readCheckpoint(directory);
      await assertSame(checkpoint, inMlxLayout(checkpoint));
    });

  const inModel = (name: string) => name.replace(/^model\./, 'model.language_model.');
  const wrapped = (name: string) => `language_model.${name}`;
  for (const [directory, modelType, rename, otherTensors] of [
    [GEMMA3, 'gemma3', wrapped, ['vision_tower.x.weight', 'multi_modal_projector.x.weight']],
    [GEMMA4, 'gemma4', inModel, ['model.vision_tower.x.weight', 'model.embed_vision.x.weight']],
    [GEMMA4_E, 'gemma4_unified', wrapped, ['audio_tower.x.weight', 'embed_audio.x.weight']],
    [QWEN3_5, 'qwen3_5', inModel, ['model.visual.x.weight', 'mtp.fc.weight', 'mtp.layers.0.mlp.x.weight']],
    [QWEN3_NEXT, 'qwen3_next', wrapped, ['vision_tower.x.weight', 'language_model.mtp.fc.weight']],
  ] as const)
    it(`loads the text part of a model that reads images or sounds: ${directory}`, async () => {
      const checkpoint = readCheckpoint(directory);
      await assertSame(
        checkpoint,
        inImageModel(checkpoint, { modelType, rename, addedTensors: otherTensors }),
      );
    });

  it('loads a model under another name of its family', async () => {
    for (const [directory, ...names] of [
      [GEMMA4, 'gemma4', 'gemma4_unified', 'gemma4_unified_text'],
      [QWEN3_5, 'qwen3_5', 'qwen3_5_moe', 'qwen3_5_moe_text'],
    ] as const) {
      const checkpoint = readCheckpoint(directory);
      await assertSame(checkpoint, ...names.map((model_type) => withConfig(checkpoint, { model_type })));
    }
  });

  for (const [directory, config] of [
    [GEMMA4_E, {}],
    [MISTRAL, { sliding_window: 12, max_position_embeddings: 4096 }],
  ] as const)
    it(`computes the same in its windows once older rows are dropped: ${directory}`, async () => {
      const target = await loadTarget(
        writeCheckpoint(withConfig(readCheckpoint(directory), config)),
        testDevice,
      );
      // Just long enough for rows to be dropped, as the memory of a whole pass grows with the square of the length.
      const ids = seededIntegers(3, 1100, 3, 255);
      const last = (logits: readonly number[]) => logits.slice(-target.config.vocabSize);
      const expected = last(runWhole(target, ids).logits);
      for (const sizes of [[600, 460, 30, 10], [256]]) {
        const { logits } = runInChunks(target, ids, sizes);
        assertClose(last(logits), expected, 1e-3, `chunks of ${sizes.join()}`);
      }
      target.dispose();
    });
});

/** Splits gate and up into two tensors with the names of mlx-lm. */
function withExpertsApart({ config, tensors }: Checkpoint): Checkpoint {
  const apart = Object.entries(tensors).flatMap(([name, tensor]): (readonly [string, FileTensor])[] => {
    const path = name.replace(/\.experts\..*$/, '.experts.switch_glu');
    if (name.endsWith('.experts.down_proj')) return [[`${path}.down_proj.weight`, tensor]];
    if (!name.endsWith('.experts.gate_up_proj')) return [[name, tensor]];
    const [count = 0, rows = 0, columns = 0] = tensor.shape;
    const size = (rows / 2) * columns;
    const values = tensorValues(tensor);
    return ['gate_proj', 'up_proj'].map((projection, half) => [
      `${path}.${projection}.weight`,
      floatTensor(
        [count, rows / 2, columns],
        values.filter((_, i) => Math.floor(i / size) % 2 === half),
      ),
    ]);
  });
  return { config, tensors: Object.fromEntries(apart) };
}
