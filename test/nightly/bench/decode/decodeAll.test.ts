// One prompt with all draft lengths from one reading: what is measured is what a decode of its own comes to, without its
// prefill, and nothing is kept afterwards.
import assert from 'node:assert/strict';
import { decodeAll } from '../../../../bench/decode/decodeAll';
import { Engine } from '../../../../server/engine/engine';
import { liveArrays } from '../../../../server/models/mlx/memory';
import { QWEN3, readCheckpoint } from '../../../support/fixtures';
import { withConfig, writeCheckpoint } from '../../../support/tinyCheckpoint';
import { TINY_PAIR, tinyOutput, tinyPrompt } from '../../../support/tinyPair';

const LENGTHS = [0, 1, 3, 7, 'adaptive'] as const;
const maxTokens = tinyOutput.length;

describe('decodes of all draft lengths', () => {
  let engine: Engine;
  before(async () => {
    engine = await Engine.load(TINY_PAIR);
  });
  after(() => engine.dispose());

  for (const [what, sampling] of [
    ['greedily', undefined],
    ['after penalties', { repetitionPenalty: 1.3, penaltyWindow: 8 }],
  ] as const)
    it(`take the rounds of a decode of their own, ${what}`, async () => {
      const before = liveArrays();
      const results = await decodeAll(engine, tinyPrompt, { maxTokens, sampling }, LENGTHS);
      assert.deepEqual([...results.keys()], LENGTHS);
      for (const [draftLength, { tokenIds, acceptanceLengths, stats }] of results) {
        const alone = await engine.decode(tinyPrompt, { maxTokens, draftLength, sampling }).finish();
        assert.deepEqual(tokenIds, alone.tokenIds.slice(1));
        assert.equal(stats.prefillMs, 0);
        assert.equal(stats.roundTokens, alone.stats.roundTokens);
        if (draftLength !== 'adaptive') assert.deepEqual(acceptanceLengths, alone.acceptanceLengths);
      }
      assert.equal(engine.promptCacheBytes, 0);
      assert.equal(liveArrays(), before);
    });

  it('also where drafts are drawn by chance', async () => {
    const sampling = { temperature: 1, acceptance: 'rejection', seed: 3 } as const;
    const results = await decodeAll(engine, tinyPrompt, { maxTokens, sampling }, [0, 3, 7]);
    for (const [draftLength, { tokenIds, acceptanceLengths }] of results) {
      const alone = await engine.decode(tinyPrompt, { maxTokens, draftLength, sampling }).finish();
      assert.deepEqual([tokenIds, acceptanceLengths], [alone.tokenIds, alone.acceptanceLengths]);
    }
    assert.equal(results.size, 3);
  });

  it('are none where the first token ends the output', async () => {
    const targetDirectory = writeCheckpoint(
      withConfig(readCheckpoint(QWEN3), { eos_token_id: tinyOutput[0] }),
    );
    const ending = await Engine.load({ ...TINY_PAIR, targetDirectory });
    assert.equal((await decodeAll(ending, tinyPrompt, { maxTokens }, LENGTHS)).size, 0);
    assert.equal(ending.promptCacheBytes, 0);
    await ending.dispose();
  });
});
