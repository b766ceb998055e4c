// What is Gemma's own in config.json: two spellings of its activation.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parseGemmaConfig } from '../../../server/models/families/gemma';
import { loadTarget } from '../../../server/models/families/registry';
import { cpu } from '../../support/cpu';
import { GEMMA, readCheckpoint } from '../../support/fixtures';
import { PARSED, parseFixture, type Entries } from '../../support/gemmaConfig';
import { assertRefused } from '../../support/refusal';
import { withConfig, writeCheckpoint } from '../../support/tinyCheckpoint';

const parse = (entries?: Entries) => parseFixture(parseGemmaConfig, GEMMA, entries);

describe('the Gemma configuration', () => {
  it('is read from the file', () => {
    assert.deepEqual(parse(), {
      ...PARSED,
      modelType: 'gemma',
      headNorms: false,
      layerTypes: Array(4).fill('full_attention'),
      rope: { headDim: 32, ropeTheta: 1e4 },
    });
  });

  it('may name the activation as the first files do', () => {
    const spellings = [
      { hidden_act: 'gelu', hidden_activation: null },
      { hidden_act: 'gelu', hidden_activation: 'gelu_pytorch_tanh' },
      { hidden_act: undefined },
    ];
    for (const entries of spellings) assert.deepEqual(parse(entries), parse());
  });

  for (const [field, value] of [
    ['hidden_act', 'silu'],
    ['hidden_activation', 'gelu_new'],
    ['use_bidirectional_attention', true],
    ['head_dim', 33],
  ] as const) {
    it(`refuses ${field} ${JSON.stringify(value)}`, async () => {
      const checkpoint = withConfig(readCheckpoint(GEMMA), { [field]: value });
      const folder = writeCheckpoint({ ...checkpoint, tensors: {} });
      await assertRefused(() => loadTarget(folder, cpu), join(folder, 'config.json'), field);
    });
  }
});
