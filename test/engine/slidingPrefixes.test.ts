// Tests the prompt cache with sliding layers, which drop distant rows: long texts must be decoded as with an empty
// cache, with and without drafts, after typing, undoing and switching texts.
import assert from 'node:assert/strict';
import { PromptCache } from '../../server/engine/promptCache';
import { liveArrays } from '../../server/models/mlx/memory';
import { noDrafter } from '../support/noDrafter';
import { loadTarget } from '../support/loadModels';
import type { TargetModel } from '../../server/models/decoder/target';
import { checkedDecode, newSession } from '../support/checkedDecode';
import { testDevice } from '../support/testDevice';
import { GEMMA3, GEMMA4_E, readCheckpoint } from '../support/fixtures';
import { OracleDrafter } from '../support/oracleDrafter';
import { assertSameText, plainText } from '../support/plainText';
import { seededIntegers } from '../support/seededRandom';
import { withConfig, writeCheckpoint } from '../support/tinyCheckpoint';

/** Prompt tokens. With a window of 16, a cache drops rows before it would hold more than 1039: early in the output. */
const LONG = 1010;
const MAX_TOKENS = 64;

// The first model's layers have their own keys and values; some of the second one's share those of an earlier layer.
for (const directory of [GEMMA3, GEMMA4_E]) {
  describe(`the prompt cache with sliding layers (${directory})`, () => {
    /** Number of arrays in memory before a test. */
    let arraysBefore: number;
    let target: TargetModel;

    beforeEach(async () => {
      arraysBefore = liveArrays();
      const longer = withConfig(readCheckpoint(directory), { max_position_embeddings: 4096 });
      target = await loadTarget(writeCheckpoint(longer), testDevice);
    });
    afterEach(() => {
      target.dispose();
      assert.equal(liveArrays(), arraysBefore);
    });

    it('yields the same text with and without drafts while rows are dropped', async () => {
      const text = await plainText(target, LONG, MAX_TOKENS);
      for (const [block, right] of [
        [8, [7]],
        [16, [0]],
        [16, seededIntegers(16, 40, 0, 15)],
      ] as const) {
        const drafter = new OracleDrafter({ tokens: text.tokens, block, right }, noDrafter);
        assertSameText((await checkedDecode({ target, drafter }, text.request)).tokenIds, text);
      }
    });

    it('reads again only the rows that were dropped', async () => {
      const promptCache = new PromptCache(target, { bytes: Infinity });
      const cold = new PromptCache(target, { bytes: 0 });
      /** Decodes, asserts the output of an empty cache, and returns the number of reused tokens. */
      const reused = async (promptIds: readonly number[]): Promise<number> => {
        const decode = (cache: PromptCache) =>
          newSession({ target }, { promptIds, maxTokens: 8 }, cache).finish();
        const warm = await decode(promptCache);
        assert.deepEqual(warm.tokenIds, (await decode(cold)).tokenIds);
        return warm.stats.reusedTokens;
      };
      const { vocabSize } = target.config;
      const text = seededIntegers(77, 1700, 3, vocabSize - 1);
      assert.equal(await reused(text), 0);
      assert.equal(await reused([...text, 5]), text.length, 'typed on');
      assert.equal(await reused(text), text.length - 1, 'undone');
      const shorter = text.slice(0, -60);
      assert.equal(await reused([...shorter, 9, 9]), shorter.length, 'much undone');
      const branched = [...text.slice(0, 1500), ...seededIntegers(78, 30, 3, vocabSize - 1)];
      assert.equal(await reused(branched), 1500, 'a text with the same beginning');
      assert.equal(
        await reused([...shorter, 9, 9, 4]),
        shorter.length + 2,
        'the earlier text after its copy',
      );
      const early = [...text.slice(0, 200), 7];
      assert.equal(await reused(early), 0, 'a dropped row is reused');
      assert.equal(await reused([...early, 7]), early.length);
      promptCache.dispose();
    });
  });
}
