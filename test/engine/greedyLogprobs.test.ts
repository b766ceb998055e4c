// Tests log-probabilities of greedy decodes with drafts: the text is the same as without them, and the values equal
// those of a decode without drafts. Sampled decodes report only those that a request asks for.
import assert from 'node:assert/strict';
import { Engine } from '../../server/engine/engine';
import type { DecodeRequest, DecodeResult } from '../../server/engine/decode/decode';
import { assertClose } from '../support/arrayValues';
import { EMBEDDED_PAIR } from '../support/embeddedPair';

const PROMPT = 'export function sum(numbers: number[]): number {\n  let total = 0;\n';
const TOKENS = 24;

describe('greedy log-probabilities', () => {
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
    it(`reports the log-probabilities of plain decoding, one per token, with draft length ${String(draftLength)}`, async () => {
      const reported = await decode({ draftLength, greedyLogprobs: true });
      const plainDraft = await decode({ draftLength });
      assert.deepEqual(reported.tokenIds, plainDraft.tokenIds);
      assert.deepEqual(reported.tokenIds, plain.tokenIds);
      assertClose(values(reported), values(plain), 1e-3);
      assert.equal(plainDraft.logprobs, undefined);
      if (draftLength === 5) assert.ok(reported.stats.acceptedTokens > 0);
    });

  it('reports no greedy log-probabilities for sampled decodes, and leaves their text unchanged', async () => {
    const sampling = { temperature: 0.8, seed: 3 };
    const reported = await decode({ draftLength: 5, sampling, greedyLogprobs: true });
    assert.equal(reported.logprobs, undefined);
    assert.deepEqual(reported.tokenIds, (await decode({ draftLength: 5, sampling })).tokenIds);
  });

  it('reports log-probabilities of a full distribution for each sampled token, also with a penalty', async () => {
    const { vocabSize } = engine.config;
    const sampling = { temperature: 1, logprobs: vocabSize, seed: 1, presencePenalty: 0.4 };
    const chunks = engine.decode(engine.encodePrompt(PROMPT), { maxTokens: 3, sampling });
    for await (const { tokens, logprobs = [] } of chunks) {
      assert.deepEqual(
        logprobs.map(({ token }) => token),
        tokens,
      );
      for (const { token, logprob, top } of logprobs) {
        assert.equal(top.length, vocabSize - 1, 'not every token but the mask of the drafter is listed');
        const sum = top.reduce((total, entry) => total + Math.exp(entry.logprob), 0);
        assert.ok(Math.abs(sum - 1) < 1e-9, String(sum));
        assert.equal(top.find((entry) => entry.token === token)?.logprob, logprob);
      }
    }
    assert.equal(chunks.result.stats.speculationOff, 'logprobs_requested');
  });
});
