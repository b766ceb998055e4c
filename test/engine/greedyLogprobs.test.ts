// Log-probabilities beside drafts: whoever asks for them gets the same text, and the same figures as from a decode
// without drafts that lists them.
import assert from 'node:assert/strict';
import { Engine } from '../../server/engine/engine';
import type { DecodeRequest, DecodeResult } from '../../server/engine/decode/decode';
import { assertClose } from '../support/arrayValues';
import { EMBEDDED_PAIR } from '../support/embeddedPair';

const PROMPT = 'export function sum(numbers: number[]): number {\n  let total = 0;\n';
const TOKENS = 24;

describe('probabilities that are told while drafts are used', () => {
  let engine: Engine;
  let plain: DecodeResult;
  const decode = (request: Omit<DecodeRequest, 'maxTokens'>): Promise<DecodeResult> =>
    engine.decode(engine.encodePrompt(PROMPT), { maxTokens: TOKENS, fresh: true, ...request }).finish();
  const values = ({ logprobs = [] }: DecodeResult): number[] => logprobs.map(({ logprob }) => logprob);

  before(async () => {
    engine = await Engine.load(EMBEDDED_PAIR);
    plain = await decode({ draftLength: 0, sampling: { logprobs: 0 } });
    assert.equal(values(plain).length, plain.tokenIds.length);
  });
  after(() => engine.dispose());

  for (const draftLength of [5, 'adaptive'] as const)
    it(`are those of plain decoding, one for each token, with drafts of ${String(draftLength)}`, async () => {
      const told = await decode({ draftLength, greedyLogprobs: true });
      const untold = await decode({ draftLength });
      assert.deepEqual(told.tokenIds, untold.tokenIds);
      assert.deepEqual(told.tokenIds, plain.tokenIds);
      assertClose(values(told), values(plain), 1e-3);
      assert.equal(untold.logprobs, undefined);
      if (draftLength === 5) assert.ok(told.stats.acceptedTokens > 0);
    });

  it('are not told where tokens are drawn, and change nothing there', async () => {
    const sampling = { temperature: 0.8, seed: 3 };
    const told = await decode({ draftLength: 5, sampling, greedyLogprobs: true });
    assert.equal(told.logprobs, undefined);
    assert.deepEqual(told.tokenIds, (await decode({ draftLength: 5, sampling })).tokenIds);
  });

  it('add up to 1 over the vocabulary, penalties included, and come with each chunk', async () => {
    const { vocabSize } = engine.config;
    const sampling = { temperature: 1, logprobs: vocabSize, seed: 1, presencePenalty: 0.4 };
    const chunks = engine.decode(engine.encodePrompt(PROMPT), { maxTokens: 3, sampling });
    for await (const { tokens, logprobs = [] } of chunks) {
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
});
