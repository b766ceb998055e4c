// Mistral's later wrapper: a text part of either kind in a model that reads images, and what grows with the position.
import assert from 'node:assert/strict';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { queryScales } from '../../../server/models/decoder/attention';
import { parseMistral3Config } from '../../../server/models/families/mistral';
import { loadTarget } from '../../../server/models/families/registry';
import * as mx from '../../../server/models/mlx/ops';
import { scope } from '../../../server/models/mlx/memory';
import { assertClose, valuesOf } from '../../support/arrayValues';
import { cpu } from '../../support/cpu';
import { MINISTRAL3 } from '../../support/fixtures';
import { assertRefused } from '../../support/refusal';

type Entries = Readonly<Record<string, unknown>>;

/** As Mistral Small 3.2 is published. */
const SMALL: Entries = {
  attention_dropout: 0,
  head_dim: 128,
  hidden_act: 'silu',
  hidden_size: 5120,
  initializer_range: 0.02,
  intermediate_size: 32768,
  max_position_embeddings: 131072,
  model_type: 'mistral',
  num_attention_heads: 32,
  num_hidden_layers: 40,
  num_key_value_heads: 8,
  rms_norm_eps: 1e-5,
  rope_theta: 1e9,
  sliding_window: null,
  use_cache: true,
  vocab_size: 131072,
};
const MINISTRAL: Entries = {
  model_type: 'ministral3',
  hidden_size: 4096,
  intermediate_size: 14336,
  num_hidden_layers: 34,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  vocab_size: 131072,
};

const parse = (text_config: Entries, outer: Entries = {}) =>
  parseMistral3Config(
    '',
    new ConfigFields('config.json', { model_type: 'mistral3', eos_token_id: 2, ...outer, text_config }),
  );

describe('the Mistral 3 configuration', () => {
  it('is that of its text part', () => {
    const { headDim, rope, sliding, queryScaling, tieWordEmbeddings, eosTokenIds } = parse(SMALL);
    assert.deepEqual([headDim, rope, sliding], [128, { headDim: 128, ropeTheta: 1e9 }, undefined]);
    assert.deepEqual([queryScaling, tieWordEmbeddings, eosTokenIds], [undefined, undefined, [2]]);
  });

  it('has the defaults of transformers where it is Ministral 3, wrapped or not', () => {
    const { rope, queryScaling, sliding, maxPositionEmbeddings } = parse(MINISTRAL);
    assert.deepEqual(rope.scaling, {
      type: 'yarn',
      factor: 16,
      originalMaxPositionEmbeddings: 16384,
      betaFast: 32,
      betaSlow: 1,
      // The two fields of the scale cancel out.
      attentionFactor: 1,
    });
    assert.deepEqual([sliding, maxPositionEmbeddings], [undefined, 262144]);
    assert.deepEqual(queryScaling, { beta: 0.1, originalMaxPositionEmbeddings: 16384 });
    const flat = parseMistral3Config('', new ConfigFields('config.json', { ...MINISTRAL, eos_token_id: 2 }));
    assert.deepEqual(flat, parse(MINISTRAL));
  });

  it('leaves it to the weights whether there is an output head, whatever the outer object says', () => {
    assert.equal(parse(SMALL, { tie_word_embeddings: true }).tieWordEmbeddings, undefined);
    assert.equal(parse({ ...MINISTRAL, tie_word_embeddings: true }).tieWordEmbeddings, true);
  });

  it('refuses a text part of another kind by its name', async () => {
    await assertRefused(() => parse({ ...SMALL, model_type: 'mistral4' }), 'Mistral 4 is not supported');
  });

  it('has no field that is not known', async () => {
    const notes: string[] = [];
    (await loadTarget(MINISTRAL3, cpu, undefined, (note) => notes.push(note))).dispose();
    assert.deepEqual(notes, []);
  });
});

describe('the scale of queries', () => {
  const scales = (offset: number, rows: number) =>
    queryScales({ beta: 0.1, originalMaxPositionEmbeddings: 16384 }, offset, rows, mx.float32);

  it('is 1 up to the original length and then grows in steps, as public implementations test it', () => {
    const at = (position: number) => scope(() => valuesOf(scales(position, 1) ?? assert.fail()));
    assert.equal(scales(0, 16384), undefined);
    assertClose(at(16384), [1 + 0.1 * Math.log(2)], 1e-6);
    assertClose(at(32768), [1 + 0.1 * Math.log(3)], 1e-6);
  });

  it('is one for each row of a pass', () => {
    const values = scope(() => valuesOf(scales(16383, 2) ?? assert.fail()));
    assertClose(values, [1, 1 + 0.1 * Math.log(2)], 1e-6);
  });
});
