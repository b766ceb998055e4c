// With a seed a request gives the same text again, whatever the engine has read before; and log-probabilities change
// nothing about the text. On the tiny pair, whose logits are nearly flat, and at night on the embedded one.
import assert from 'node:assert/strict';
import type { DecodeRequest, DecodeResult } from '../../server/engine/decode/decode';
import { Engine } from '../../server/engine/engine';
import type { SamplingOptions } from '../../server/engine/request/sampling';
import { InputError } from '../../server/rules/inputError';
import { EMBEDDED_PAIR, shortPrompt } from '../support/embeddedPair';
import { fullSize } from '../support/fullSize';
import { TINY_PAIR, tinyOutput, tinyPrompt } from '../support/tinyPair';

const MODES = ['match', 'rejection'] as const;
const PENALTIES = { repetitionPenalty: 1.2, presencePenalty: 0.4, frequencyPenalty: 0.2, penaltyWindow: 12 };

const WAYS: readonly SamplingOptions[] = [
  { temperature: 0.7 },
  { temperature: 1, ...PENALTIES },
  { temperature: 0.8, topK: 20, topP: 0.9, minP: 0.02, ...PENALTIES },
];

for (const [name, pair, promptIds, maxTokens] of [
  ['tiny', TINY_PAIR, tinyPrompt, 16] as const,
  ...(fullSize ? [['embedded', EMBEDDED_PAIR, shortPrompt(3, 40), 10] as const] : []),
])
  describe(`a seed, with the ${name} pair`, () => {
    let cold: Engine;
    before(async () => {
      cold = await Engine.load(pair);
    });
    after(() => cold.dispose());

    async function decode(
      sampling: SamplingOptions,
      draftLength: DecodeRequest['draftLength'],
      engine = cold,
    ): Promise<DecodeResult> {
      return await engine.decode(promptIds, { maxTokens, sampling, draftLength }).finish();
    }

    it('gives the same text again for the same draft length, by an engine that knows the prompt too', async () => {
      const warm = await Engine.load({ ...pair, cacheBytes: 1e8 });
      for (const acceptance of MODES)
        for (const [seed, way] of WAYS.entries()) {
          const draftLength = seed === 1 ? 2 : 'full';
          const sampling = { ...way, acceptance, seed };
          const first = await decode(sampling, draftLength);
          for (let again = 0; again < 2; again++) {
            const { tokenIds, stats } = await decode(sampling, draftLength, warm);
            assert.deepEqual(tokenIds, first.tokenIds, `${acceptance}, ${JSON.stringify(way)}`);
            if (again > 0) assert.equal(stats.reusedTokens, promptIds.length - 1);
          }
        }
      await warm.dispose();
    });

    it('is told when nobody has chosen it, and gives the text again', async () => {
      const any = await decode({ temperature: 1 }, 'full');
      const { seed } = any.stats;
      assert.ok(seed !== undefined);
      assert.deepEqual((await decode({ temperature: 1, seed }, 'full')).tokenIds, any.tokenIds);
    });
  });

describe('log-probabilities of a decode', () => {
  let engine: Engine;
  before(async () => {
    engine = await Engine.load(TINY_PAIR);
  });
  after(() => engine.dispose());

  it('come one for each token and change no text, without drafts', async () => {
    const maxTokens = tinyOutput.length;
    for (const logprobs of [0, 3]) {
      const { tokenIds, stats, ...result } = await engine
        .decode(tinyPrompt, { maxTokens, sampling: { logprobs } })
        .finish();
      assert.deepEqual(tokenIds, tinyOutput);
      assert.equal(stats.speculationOff, 'logprobs_requested');
      assert.equal(stats.draftedTokens, 0);
      const all = result.logprobs ?? [];
      assert.equal(all.length, tokenIds.length);
      for (const [i, { token, logprob, top }] of all.entries()) {
        assert.equal(token, tokenIds[i]);
        assert.ok(logprob < 0);
        assert.equal(top.length, logprobs);
        if (logprobs > 0) assert.deepEqual(top[0], { token, logprob });
        const falling = top.map((each) => each.logprob);
        assert.deepEqual(
          falling,
          falling.toSorted((a, b) => b - a),
        );
        assert.ok(falling.reduce((sum, each) => sum + Math.exp(each), 0) < 1);
      }
    }
  });

  it('add up to 1 over the vocabulary, and come with each chunk', async () => {
    const { vocabSize } = engine.config;
    const sampling = { temperature: 1, logprobs: vocabSize, seed: 1, ...PENALTIES };
    for await (const { tokens, logprobs = [] } of engine.decode(tinyPrompt, { maxTokens: 5, sampling })) {
      assert.deepEqual(
        logprobs.map(({ token }) => token),
        tokens,
      );
      for (const { token, logprob, top } of logprobs) {
        assert.equal(top.length, vocabSize - 1, 'all but the mask of the drafter');
        const sum = top.reduce((total, each) => total + Math.exp(each.logprob), 0);
        assert.ok(Math.abs(sum - 1) < 1e-9, String(sum));
        assert.equal(top.find((each) => each.token === token)?.logprob, logprob);
      }
    }
  });

  it('are not there when nobody asks for them', async () => {
    const result = await engine.decode(tinyPrompt, { maxTokens: 4, sampling: { temperature: 1 } }).finish();
    assert.equal(result.logprobs, undefined);
    assert.equal(result.stats.speculationOff, undefined);
  });

  it('cannot be had of tokens outside the vocabulary: those are refused', () => {
    const sampling = { forbiddenTokens: [engine.config.vocabSize] };
    assert.throws(() => engine.decode(tinyPrompt, { maxTokens: 4, sampling }), InputError);
  });
});
