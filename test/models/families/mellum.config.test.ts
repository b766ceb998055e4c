// What is Mellum's own in config.json: the two rotations, the windows of three layers in four, and which layers have
// experts.
import assert from 'node:assert/strict';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { ropeFrequencies } from '../../../server/models/decoder/rope';
import { parseMellumConfig } from '../../../server/models/families/mellum';
import { loadTarget } from '../../../server/models/families/registry';
import { assertClose } from '../../support/arrayValues';
import { cpu } from '../../support/cpu';
import { MELLUM, readCheckpoint } from '../../support/fixtures';
import { publishedFields } from '../../support/publishedFields';
import { assertRefused } from '../../support/refusal';
import { withTensors, writeCheckpoint } from '../../support/tinyCheckpoint';

type Entries = Readonly<Record<string, unknown>>;

const PUBLISHED = 'JetBrains/Mellum2-12B-A2.5B-Instruct';
const TYPES = Array.from({ length: 28 }, (_, i) => (i % 4 === 3 ? 'full_attention' : 'sliding_attention'));

const parse = (entries: Entries = {}) => {
  const fields = { ...publishedFields(PUBLISHED), layer_types: TYPES, ...entries };
  return parseMellumConfig('', new ConfigFields('config.json', fields));
};

describe('the Mellum configuration', () => {
  it('turns full layers by YaRN and sliding ones plainly, both from a base of 500,000', () => {
    const { rope, sliding } = parse();
    assert.equal(rope.scaling?.type === 'yarn' && rope.scaling.attentionFactor, 1.2772588722239782);
    const [full, near] = [rope, sliding?.rope ?? assert.fail()].map(ropeFrequencies);
    // Worked out in float64 from the published formula.
    for (const [pair, ofFull, ofNear] of [
      [0, 1, 1],
      [1, 8.146172339e-1, 8.146172339e-1],
      [18, 2.495540867e-2, 2.495540867e-2],
      [19, 1.920801558e-2, 2.032910598e-2],
      [26, 2.704382517e-3, 4.839421346e-3],
      [34, 1.104086906e-4, 9.384738704e-4],
      [35, 4.778106177e-5, 7.644969883e-4],
      [63, 1.534462994e-7, 2.455140791e-6],
    ] as const)
      assertClose(
        [(full?.[pair] ?? NaN) / ofFull, (near?.[pair] ?? NaN) / ofNear],
        [1, 1],
        1e-8,
        `pair ${pair}`,
      );
  });

  it('has the defaults of transformers where the file says nothing', () => {
    const { layerTypes, rope, sliding, sparse } = parse({
      layer_types: undefined,
      rope_parameters: undefined,
      norm_topk_prob: undefined,
      head_dim: undefined,
      mlp_layer_types: undefined,
    });
    assert.ok(layerTypes.every((type) => type === 'full_attention'));
    assert.deepEqual([rope, sliding], [{ headDim: 128, ropeTheta: 5e5 }, undefined]);
    assert.deepEqual([sparse?.normTopkProb, sparse?.mlpOnlyLayers], [true, []]);
    assert.equal(parse({ rope_parameters: undefined }).sliding?.rope.ropeTheta, 1e4);
  });

  it('goes by the list of layers, whatever use_sliding_window and max_window_layers say', () => {
    for (const use_sliding_window of [true, false, undefined])
      assert.deepEqual(parse({ use_sliding_window, max_window_layers: 0 }), parse());
  });

  it('may have dense layers, and the experts under their other name', () => {
    const mlp_layer_types = TYPES.map((_, i) => (i === 1 ? 'dense' : 'sparse'));
    assert.deepEqual(parse({ mlp_layer_types }).sparse?.mlpOnlyLayers, [1]);
    const { num_experts: count } = publishedFields(PUBLISHED);
    assert.deepEqual(parse({ num_experts: undefined, num_local_experts: count }), parse());
  });

  for (const mlp_layer_types of [['sparse'], TYPES, 'sparse', [3]])
    it(`refuses mlp_layer_types ${JSON.stringify(mlp_layer_types)}`, async () => {
      await assertRefused(() => parse({ mlp_layer_types }), 'mlp_layer_types', 'config.json');
    });

  it('leaves out what predicts further tokens, and nothing else', async () => {
    const checkpoint = readCheckpoint(MELLUM);
    const norm = checkpoint.tensors['model.norm.weight'];
    const load = async (name: string) => {
      const target = await loadTarget(writeCheckpoint(withTensors(checkpoint, { [name]: norm })), cpu);
      target.dispose();
    };
    for (const name of ['mtp.norm.weight', 'model.mtp.norm.weight', 'model.layers.4.enorm.weight'])
      await load(name);
    for (const name of ['model.layers.3.enorm.weight', 'model.norm2.weight'])
      await assertRefused(() => load(name), `unexpected tensor ${name}`);
  });
});
