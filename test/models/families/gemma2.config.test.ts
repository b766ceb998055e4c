// What is Gemma 2's own in config.json: which layers have a window, and soft limits.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parseGemma2Config } from '../../../server/models/families/gemma';
import { loadTarget } from '../../../server/models/families/registry';
import { cpu } from '../../support/cpu';
import { GEMMA2, readCheckpoint } from '../../support/fixtures';
import { PARSED, parseFixture, type Entries } from '../../support/gemmaConfig';
import { assertRefused } from '../../support/refusal';
import { withConfig, writeCheckpoint } from '../../support/tinyCheckpoint';

const parse = (entries?: Entries) => parseFixture(parseGemma2Config, GEMMA2, entries);

const ROPE = { headDim: 32, ropeTheta: 1e4 };

describe('the Gemma 2 configuration', () => {
  it('is read from the file', () => {
    assert.deepEqual(parse(), {
      ...PARSED,
      modelType: 'gemma2',
      headNorms: false,
      rope: ROPE,
      queryScale: 32 ** -0.5,
      attnLogitSoftcapping: 50,
      finalLogitSoftcapping: 30,
      sandwichNorms: true,
      layerTypes: ['sliding_attention', 'full_attention', 'sliding_attention', 'full_attention'],
      sliding: { rope: ROPE, window: 16 },
    });
  });

  it('has the published layers, window and limits where the file is silent', () => {
    assert.deepEqual(parse({ layer_types: undefined }), parse());
    assert.equal(parse({ sliding_window: undefined }).sliding?.window, 4096);
    const caps = { attn_logit_softcapping: undefined, final_logit_softcapping: undefined };
    assert.deepEqual(parse(caps), parse());
  });

  it('has no limit where the file says null', () => {
    const { attnLogitSoftcapping, finalLogitSoftcapping } = parse({
      attn_logit_softcapping: null,
      final_logit_softcapping: null,
    });
    assert.deepEqual([attnLogitSoftcapping, finalLogitSoftcapping], [undefined, undefined]);
  });

  it('scales queries by what the file says, not by the size of a head', () => {
    assert.equal(parse({ query_pre_attn_scalar: 144 }).queryScale, 1 / 12);
  });

  for (const [field, value] of [
    ['hidden_activation', 'silu'],
    ['query_pre_attn_scalar', 0],
    ['sliding_window', -1],
    ['attn_logit_softcapping', -1],
    ['final_logit_softcapping', '30'],
    ['layer_types', ['full_attention']],
    ['layer_types', Array(4).fill('chunked_attention')],
  ] as const) {
    it(`refuses ${field} ${JSON.stringify(value) ?? 'missing'}`, async () => {
      const checkpoint = withConfig(readCheckpoint(GEMMA2), { [field]: value });
      const folder = writeCheckpoint({ ...checkpoint, tensors: {} });
      await assertRefused(() => loadTarget(folder, cpu), join(folder, 'config.json'), field);
    });
  }
});
