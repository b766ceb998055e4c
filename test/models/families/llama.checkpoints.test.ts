// Forms in which Llama-shaped checkpoints are published: tied or not with or without saying so, with biases, with the
// rotary tables of old exporters, and in the older spelling of the scaling.
import assert from 'node:assert/strict';
import { liveArrays } from '../../../server/models/mlx/memory';
import { loadTarget } from '../../../server/models/families/registry';
import { cpu } from '../../support/cpu';
import { LLAMA, readCheckpoint } from '../../support/fixtures';
import { floatTensor, type FileTensor } from '../../support/fileTensor';
import { assertRefused } from '../../support/refusal';
import { seededIntegers } from '../../support/seededRandom';
import { withConfig, withTensors, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';
import { runWhole } from '../../support/tokenRun';

const IDS = seededIntegers(4, 20, 3, 255);

async function logitsOf(checkpoint: Checkpoint, device = cpu, shards = 1): Promise<number[]> {
  const target = await loadTarget(writeCheckpoint(checkpoint, shards), device);
  const { logits } = runWhole(target, IDS);
  target.dispose();
  return logits;
}

const SIZES = {
  'self_attn.q_proj': 64,
  'self_attn.k_proj': 32,
  'self_attn.v_proj': 32,
  'self_attn.o_proj': 64,
  'mlp.gate_proj': 128,
  'mlp.up_proj': 128,
  'mlp.down_proj': 64,
} as const;

/** A bias of `value` for the projections whose name begins with `part`, in all layers. */
function biases(part: string, value: number): Record<string, FileTensor> {
  const named = Object.entries(SIZES).filter(([name]) => name.startsWith(part));
  const tensors = [0, 1, 2, 3].flatMap((layer) =>
    named.map(([name, size]) => [
      `model.layers.${layer}.${name}.bias`,
      floatTensor([size], Array<number>(size).fill(value)),
    ]),
  );
  return Object.fromEntries(tensors) as Record<string, FileTensor>;
}

describe('a Llama checkpoint', () => {
  const llama = readCheckpoint(LLAMA);
  let before: number;
  beforeEach(() => (before = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), before));

  it('is the same with the older fields of its scaling', async () => {
    const { rope_parameters } = llama.config;
    const older = { rope_parameters: undefined, rope_theta: 5e5, rope_scaling: rope_parameters };
    assert.deepEqual(await logitsOf(withConfig(llama, older)), await logitsOf(llama));
    const unscaled = { rope_parameters: undefined, rope_theta: 5e5 };
    assert.notDeepEqual(await logitsOf(withConfig(llama, unscaled)), await logitsOf(llama));
  });

  for (const [field, part] of [
    ['attention_bias', 'self_attn'],
    ['mlp_bias', 'mlp'],
  ] as const) {
    it(`adds the biases that ${field} announces`, async () => {
      const biased = withConfig(llama, { [field]: true });
      const usual = await logitsOf(llama);
      assert.deepEqual(await logitsOf(withTensors(biased, biases(part, 0))), usual);
      for (const name of Object.keys(SIZES).filter((each) => each.startsWith(part))) {
        const one = { ...biases(part, 0), ...biases(name, 0.5) };
        const changed = await logitsOf(withTensors(biased, one));
        // All keys moved alike change what no query prefers, but for the turn that they get afterwards.
        assert.notDeepEqual(changed, usual, name);
      }
    });

    it(`has exactly the biases that ${field} announces`, async () => {
      const missing = writeCheckpoint(withConfig(llama, { [field]: true }));
      await assertRefused(() => loadTarget(missing, cpu), 'bias', 'no such tensor');
      const unannounced = writeCheckpoint(withTensors(llama, biases(part, 0)));
      await assertRefused(() => loadTarget(unannounced, cpu), 'unexpected tensor', '.bias');
    });
  }

  it('is tied when its file is silent and it has no head', async () => {
    const silent = { tie_word_embeddings: undefined };
    const headless = withTensors(llama, { 'lm_head.weight': undefined });
    const tied = await logitsOf(withConfig(headless, { tie_word_embeddings: true }));
    assert.deepEqual(await logitsOf(withConfig(headless, silent)), tied);
    assert.deepEqual(await logitsOf(withConfig(llama, { tie_word_embeddings: true })), tied);
    assert.deepEqual(await logitsOf(withConfig(llama, silent)), await logitsOf(llama));
    assert.notDeepEqual(await logitsOf(llama), tied);
  });

  it('may hold the rotary tables of old exporters', async () => {
    const table = floatTensor([8], Array<number>(8).fill(1));
    const tables = [0, 1, 2, 3].map((i) => [`model.layers.${i}.self_attn.rotary_emb.inv_freq`, table]);
    const old = withTensors(llama, Object.fromEntries(tables) as Record<string, FileTensor>);
    assert.deepEqual(await logitsOf(old), await logitsOf(llama));
  });
});
