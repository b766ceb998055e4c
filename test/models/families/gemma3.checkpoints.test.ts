// One Gemma 3 in many files: with and without its image part, in older and newer spellings.
import assert from 'node:assert/strict';
import { loadTarget } from '../../../server/models/families/registry';
import { cpu } from '../../support/cpu';
import { floatTensor } from '../../support/fileTensor';
import { GEMMA3, readCheckpoint, readGolden } from '../../support/fixtures';
import type { Entries } from '../../support/gemmaConfig';
import type { FileTensors } from '../../support/safetensorsFile';
import { withConfig, withTensors, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';
import { runWhole } from '../../support/tokenRun';

const golden = readGolden(GEMMA3);
const IDS = golden('input_ids');

/** Older files: a base for each kind of layer and a scaling of one. */
const older = { rope_parameters: undefined, rope_theta: 1e4, rope_local_base_freq: 1e4 };

describe('a Gemma 3 checkpoint', () => {
  const plain = readCheckpoint(GEMMA3);

  async function logitsOf(checkpoint: Checkpoint): Promise<number[]> {
    const target = await loadTarget(writeCheckpoint(checkpoint), cpu);
    const { logits } = runWhole(target, IDS);
    target.dispose();
    return logits;
  }

  const logitsWith = (entries: Entries) => logitsOf(withConfig(plain, entries));

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

  it('may spell its rotations and windows as older files do', async () => {
    const entries = { ...older, rope_theta: 1e6, layer_types: undefined, sliding_window_pattern: 6 };
    assert.deepEqual(await logitsWith(entries), usual);
  });
});
