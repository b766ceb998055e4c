// One Gemma 3 in many files: with and without its image part, in older and newer spellings. And what its kinds of
// layers change, and what they do not.
import assert from 'node:assert/strict';
import { loadTarget } from '../../../server/models/families/registry';
import { assertClose, rowsOf } from '../../support/arrayValues';
import { cpu } from '../../support/cpu';
import { floatTensor } from '../../support/fileTensor';
import { GEMMA3, readCheckpoint, readGolden } from '../../support/fixtures';
import type { Entries } from '../../support/gemmaConfig';
import { assertRefused } from '../../support/refusal';
import type { FileTensors } from '../../support/safetensorsFile';
import { withConfig, withTensors, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';
import { runWhole } from '../../support/tokenRun';

const golden = readGolden(GEMMA3);
const IDS = golden('input_ids');
const VOCABULARY = 256;
const WINDOW = 16;

const layers = (...kinds: readonly string[]) => kinds.map((kind) => `${kind}_attention`);
/** Older files: a base for each kind of layer and a scaling of one. */
const older = { rope_parameters: undefined, rope_theta: 1e4, rope_local_base_freq: 1e4 };
const linear = { rope_scaling: { rope_type: 'linear', factor: 8 } };

describe('a Gemma 3 checkpoint', () => {
  const plain = readCheckpoint(GEMMA3);

  async function logitsOf(checkpoint: Checkpoint): Promise<number[]> {
    const target = await loadTarget(writeCheckpoint(checkpoint), cpu);
    const { logits } = runWhole(target, IDS);
    target.dispose();
    return logits;
  }

  const logitsWith = (entries: Entries) => logitsOf(withConfig(plain, entries));

  /** The rows that the window hides nothing from. */
  const inWindow = (logits: readonly number[]) => rowsOf(logits, VOCABULARY, 0, WINDOW);

  let usual: number[];
  before(async () => (usual = await logitsOf(plain)));

  const wrapped = (tensors: FileTensors) =>
    Object.fromEntries(
      Object.entries(tensors).map(([name, tensor]) => [`language_model.${name}`, tensor]),
    ) as FileTensors;
  const { eos_token_id: ends, ...text } = plain.config;
  const images: Checkpoint = {
    config: { model_type: 'gemma3', eos_token_id: ends, vision_config: {}, text_config: text },
    tensors: {
      ...wrapped(plain.tensors),
      'vision_tower.vision_model.post_layernorm.weight': floatTensor([2], [1, 1]),
      'multi_modal_projector.mm_input_projection_weight': floatTensor([2, 1], [1, 1]),
    },
  };

  it('is the text part of an image model', async () => {
    assert.deepEqual(await logitsOf(images), usual);
  });

  it('may hold its table twice', async () => {
    const table = plain.tensors['model.embed_tokens.weight'];
    assert.deepEqual(await logitsOf(withTensors(plain, { 'lm_head.weight': table })), usual);
    const twice = withTensors(images, { 'language_model.lm_head.weight': table });
    assert.deepEqual(await logitsOf(twice), usual);
    const silent = { ...text, tie_word_embeddings: undefined };
    assert.deepEqual(await logitsOf(withConfig(twice, { text_config: silent })), usual);
  });

  it('is refused with tensors of another part', async () => {
    const audio = withTensors(images, { 'audio_tower.norm.weight': floatTensor([1], [1]) });
    const folder = writeCheckpoint(audio);
    await assertRefused(() => loadTarget(folder, cpu), 'unexpected tensor audio_tower.norm.weight');
  });

  it('may spell its rotations and windows as older files do', async () => {
    const entries = { ...older, rope_theta: 1e6, layer_types: undefined, sliding_window_pattern: 6 };
    assert.deepEqual(await logitsWith(entries), usual);
  });

  it('turns layers with a window by their own base, whatever that of the others is', async () => {
    assert.deepEqual(await logitsWith({ ...older, ...linear, rope_theta: 5e5 }), usual);
    assert.notDeepEqual(await logitsWith({ ...older, rope_local_base_freq: 2e4 }), usual);
  });

  for (const kinds of [
    layers('sliding', 'full', 'sliding', 'full'),
    layers('full', 'full', 'sliding', 'sliding'),
    layers('full', 'full', 'full', 'full'),
  ]) {
    it(`sees more with layers of ${kinds.join(', ')}, but not inside the window`, async () => {
      const logits = await logitsWith({ ...older, layer_types: kinds });
      assertClose(inWindow(logits), inWindow(usual), 1e-4);
      assert.throws(() => assertClose(logits, usual, 1e-2));
      const scaled = await logitsWith({ ...older, ...linear, layer_types: kinds });
      assert.throws(() => assertClose(inWindow(scaled), inWindow(usual), 1e-3));
    });
  }

  it('sees everything when the window is wider than the text', async () => {
    const full = await logitsWith({ ...older, layer_types: layers('full', 'full', 'full', 'full') });
    assertClose(await logitsWith({ sliding_window: 40 }), full, 1e-4);
    assert.throws(() => assertClose(usual, full, 1e-2));
  });

  it('is far from the golden without the scale of its queries', async () => {
    const scaled = await logitsWith({ query_pre_attn_scalar: 33 });
    assert.throws(() => assertClose(scaled, golden('logits'), 2e-3));
  });
});
