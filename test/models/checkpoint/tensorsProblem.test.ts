// Tests the comparison of a target's tensors with its config, which is made before its weights are downloaded.
import assert from 'node:assert/strict';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import type { TensorDtype } from '../../../server/models/checkpoint/safetensors';
import { tensorsProblem } from '../../../server/models/checkpoint/tensorsProblem';

const SIZES = { num_hidden_layers: 2, vocab_size: 16, hidden_size: 8 };

function problem(
  config: object,
  table: readonly number[] | undefined,
  layers: readonly number[],
  dtype?: TensorDtype,
) {
  const tensor = (shape: readonly number[]) => ({ dtype: dtype ?? 'F32', shape, start: 0 }) as const;
  const tensors = new Map([
    ...layers.map(
      (i) => [`language_model.model.layers.${String(i)}.mlp.up_proj.weight`, tensor([1])] as const,
    ),
    ...(table ? [['language_model.model.embed_tokens.weight', tensor(table)] as const] : []),
  ]);
  return tensorsProblem(new ConfigFields('config.json', { ...config }), tensors);
}

describe('tensorsProblem', () => {
  it('accepts tensors of a target with the layers and the table size of its config', () => {
    for (const config of [SIZES, { text_config: SIZES }, {}, { num_hidden_layers: 1 }])
      assert.equal(problem(config, [16, 8], [0, 1]), undefined);
    // A word of a packed table has several weights.
    assert.equal(problem(SIZES, [16, 1], [1, 0], 'U32'), undefined);
  });

  for (const [what, [table, layers, dtype], expected, got] of [
    ['a layer', [[16, 8], [1]], '2 layers', 'no layer 0'],
    [
      'the last layer',
      [
        [16, 8],
        [0, 10, 11],
      ],
      '2 layers',
      'no layer 1',
    ],
    ['the table', [undefined, [0, 1]], 'embed_tokens.weight', 'no such tensor'],
    [
      'tokens',
      [
        [15, 8],
        [0, 1],
      ],
      'embed_tokens.weight [16, 8]',
      '[15, 8]',
    ],
    [
      'width',
      [
        [16, 4],
        [0, 1],
      ],
      'embed_tokens.weight [16, 8]',
      '[16, 4]',
    ],
    ['tokens of a packed table', [[15, 1], [0, 1], 'U32'], 'embed_tokens.weight [16, 1]', '[15, 1]'],
  ] as const)
    it(`reports that the tensors of a target lack ${what}`, () =>
      assert.deepEqual(problem(SIZES, table, layers, dtype), { expected, got }));
});
