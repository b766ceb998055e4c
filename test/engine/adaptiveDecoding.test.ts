// Whoever drafts, and however the choice changes from round to round: the output is the plain one, the counts add
// up, and breaking off leaves nothing behind. On a scripted target; test/lsp/fuzz.test.ts has the embedded pair.
import { deviceName } from '../support/cpu';
import assert from 'node:assert/strict';
import type { DecodeResult } from '../../server/engine/decode/decode';
import { draftWith } from '../../server/engine/decode/draft';
import { AdaptiveLength, type DraftPolicy } from '../../server/engine/draftLength/draftLength';
import { PairProfile } from '../../server/engine/pairProfile';
import { PromptCache } from '../../server/engine/promptCache';
import { greedySampler } from '../../server/engine/sampling/greedySampler';
import { DecodeSession } from '../../server/engine/decode/session';
import type { Drafter } from '../../server/models/drafters/drafter';
import { liveArrays } from '../../server/models/mlx/memory';
import { ngramDrafter } from '../../server/models/drafters/ngramDrafter';
import { OracleDrafter } from '../support/oracleDrafter';
import { newScript, ScriptedTarget, type Script } from '../support/scriptedTarget';
import { seededIntegers } from '../support/seededRandom';

const MAX_TOKENS = 60;
const BLOCK = 8;
const RIGHT: Readonly<Record<string, readonly number[]>> = {
  'always right': [BLOCK - 1],
  'never right': [0],
  'sometimes right': seededIntegers(3, 50, 0, BLOCK - 1),
};

/** With times at which drafts pay, whatever this machine is like. */
function adaptive(): DraftPolicy {
  const policy = new AdaptiveLength(new PairProfile());
  return {
    draft: (...asked) => policy.draft(...asked),
    observe: (outcome) => {
      policy.observe({ ...outcome, draftMs: 2, verifyMs: 20 + outcome.rows });
    },
  };
}

/** Any drafter, any length, by turns and by chance. */
function atRandom(seed: number): DraftPolicy {
  const choices = seededIntegers(seed, 1000, 0, 1 << 16);
  let round = 0;
  return {
    draft: async (start, room) => {
      const [which = 0, count = 0] = choices.slice(2 * round++);
      // Another one may have been asked in vain.
      await draftWith(start, count % 2, Math.min(2, room));
      return { draft: await draftWith(start, which % 3, Math.min(count % BLOCK, room)), candidates: [] };
    },
    observe: () => undefined,
  };
}

function requireSums({ stats, acceptanceLengths }: DecodeResult): void {
  const sum = (of: (source: (typeof stats.sources)[number]) => number) =>
    stats.sources.reduce((total, source) => total + of(source), 0);
  assert.equal(
    sum(({ drafted }) => drafted),
    stats.draftedTokens,
  );
  assert.equal(
    sum(({ accepted }) => accepted),
    stats.acceptedTokens,
  );
  assert.ok(sum(({ rounds }) => rounds) <= stats.rounds);
  for (const { rounds, drafted, accepted } of stats.sources)
    assert.ok(rounds > 0 && drafted >= rounds && accepted <= drafted);
  assert.equal(stats.rounds, acceptanceLengths.length);
  const inRounds = acceptanceLengths.reduce((total, each) => total + each, 0);
  // The first token comes from prefill, unless little of the prompt was left to read.
  assert.ok([inRounds, inRounds + (stats.prefillMs > 0 ? 1 : 0)].includes(stats.emittedTokens));
}

describe('adaptive decoding', () => {
  describe('on a scripted target', () => {
    const newSession = (
      script: Script,
      drafters: readonly Drafter[],
      policy: DraftPolicy,
      promptCache?: PromptCache,
    ): DecodeSession => {
      const target = new ScriptedTarget(script);
      return new DecodeSession(
        {
          target,
          drafters,
          tokenizer: undefined,
          policy,
          sampler: greedySampler,
          speculationOff: undefined,
          device: deviceName,
          signals: [],
        },
        script.promptIds,
        { maxTokens: MAX_TOKENS, promptLookupText: script.tokens.slice(-20) },
        promptCache ?? new PromptCache(target, { bytes: 0 }),
      );
    };

    /** Reads to the end, and requires the output of the script. */
    const decode = async (script: Script, session: DecodeSession): Promise<DecodeResult> => {
      for await (const { round } of session)
        assert.ok(round === undefined || round.tokens.length > round.accepted || round.accepted > 0);
      const { result } = session;
      assert.deepEqual(result.tokenIds, script.output.slice(0, result.tokenIds.length));
      assert.equal(result.tokenIds.length, MAX_TOKENS);
      requireSums(result);
      return result;
    };

    for (const [name, right] of Object.entries(RIGHT))
      it(`gives the plain output with a drafter that is ${name}`, async () => {
        for (const [i, promptTokens] of [1, 9, 300].entries()) {
          const before = liveArrays();
          const script = newScript(promptTokens, MAX_TOKENS, { seed: i + 1 });
          const oracle = new OracleDrafter({
            tokens: script.tokens,
            block: BLOCK,
            right,
            form: i === 1 ? 'logits' : 'tokens',
          });
          const drafters = [oracle, ngramDrafter()];
          for (const policy of [adaptive(), atRandom(i), atRandom(i + 10)]) {
            const { stats } = await decode(script, newSession(script, drafters, policy));
            assert.ok(stats.draftedTokens > 0);
          }
          assert.equal(liveArrays(), before);
        }
      });

    it('gives the plain output from what other requests have left, also when they were broken off', async () => {
      const before = liveArrays();
      const script = newScript(80, MAX_TOKENS);
      const oracle = new OracleDrafter({
        tokens: script.tokens,
        block: BLOCK,
        right: RIGHT['sometimes right'] ?? [],
      });
      const drafters = [oracle, ngramDrafter()];
      const promptCache = new PromptCache(new ScriptedTarget(script), { bytes: Infinity });
      const policy = adaptive();
      for (let count = 1; count < 12; count++) {
        const broken = newSession(script, drafters, count % 2 ? policy : atRandom(count), promptCache);
        let chunks = 0;
        for await (const { tokens } of broken) if (tokens.length === 0 || ++chunks === count) break;
        const { stats } = await decode(script, newSession(script, drafters, policy, promptCache));
        assert.equal(stats.reusedTokens, script.promptIds.length - 1);
      }
      promptCache.dispose();
      assert.equal(liveArrays(), before);
    });
  });
});
