// Tests the end of a decode: which drafts count, and which text and memory remain when it is cancelled or a model
// fails. Runs on a scripted target that records its inputs. stopCriteria.test.ts tests where outputs end.
import assert from 'node:assert/strict';
import { fixedLength } from '../../server/engine/draftLength/fixedLength';
import type { RoundOutcome } from '../../server/engine/draftLength/policy';
import { PromptCache } from '../../server/engine/promptCache';
import { createSampler } from '../../server/engine/sampling/createSampler';
import { samplingOf } from '../../server/engine/request/sampling';
import { passTurns } from '../../server/machine/turns';
import { liveArrays } from '../../server/models/mlx/memory';
import { checkedDecode, newSession } from '../support/checkedDecode';
import { OracleDrafter, type Oracle } from '../support/oracleDrafter';
import { PieceTokenizer } from '../support/pieceTokenizer';
import { RecordingTarget } from '../support/recordingTarget';
import { newScript, ScriptedTarget, type Script } from '../support/scriptedTarget';

/** Returns a target that follows the script, and a drafter of 7 tokens, of which the first `right[round]` are right. */
function scriptedPair(script: Script, right: readonly number[], oracle: Partial<Oracle> = {}) {
  const drafter = new OracleDrafter({ tokens: script.tokens, block: 8, right, ...oracle });
  return { target: new ScriptedTarget(script), drafter };
}

describe('DecodeSession', () => {
  /** Token i is written as <i>, so that a text shows its tokens. */
  const tokenizer = new PieceTokenizer(Array.from({ length: 64 }, (_, id) => `<${String(id)}>`));

  it('counts a sampled end token as accepted and the drafts after it as rejected', async () => {
    const script = newScript(10, 40, { endAt: 3 });
    const sampler = createSampler(samplingOf({ temperature: 0.01, acceptance: 'rejection', seed: 1 }));
    const request = { promptIds: script.promptIds, maxTokens: 30, sampler };
    const { stats } = await checkedDecode(scriptedPair(script, [7], { form: 'logits' }), request);
    assert.equal(stats.draftedTokens, 7);
    assert.equal(stats.acceptedTokens, 3);
    // No token of the target replaced the fourth draft.
    assert.deepEqual(stats.mismatchesByPosition, Array(7).fill(0));
  });

  it('verifies no draft past the end of the output, whichever rule ends it', async () => {
    const script = newScript(5, 40);
    const text = (tokens: number): string => tokenizer.decode(script.output.slice(0, tokens));
    const endings = {
      'an end token': { stopTokenIds: script.output.slice(12, 13) },
      'a stop string': { stopStrings: [text(13).slice(text(11).length)] },
      'a complete text': { isComplete: (output: string) => output.startsWith(text(13)) },
    };
    for (const [name, request] of Object.entries(endings)) {
      const models = { ...scriptedPair(script, [7]), tokenizer };
      const session = newSession(models, { promptIds: script.promptIds, maxTokens: 40, ...request });
      for await (const { tokens } of session) if (tokens.includes(script.output[12] ?? 0)) break;
      const { tokenIds, stats } = session.result;
      assert.deepEqual(tokenIds, script.output.slice(0, 13), name);
      // After the first token and a full round, three drafts; the end is the target's own next token.
      assert.equal(stats.draftedTokens, 7 + 3, name);
      assert.deepEqual(session.result.acceptanceLengths, [8, 4], name);
    }
  });

  it('reports each round to the policy, with all rows of its pass', async () => {
    const script = newScript(10, 40, { endAt: 6 });
    const models = scriptedPair(script, [3, 1]);
    const outcomes: RoundOutcome[] = [];
    const policy = { ...fixedLength(3), observe: (outcome: RoundOutcome) => void outcomes.push(outcome) };
    const promptCache = new PromptCache(models.target, { bytes: Infinity });
    const reported = async (promptIds: readonly number[], maxTokens: number): Promise<unknown[]> => {
      outcomes.length = 0;
      await newSession(models, { promptIds, maxTokens, policy }, promptCache).finish();
      return outcomes.map(({ rows, accepted, tokens, isLast }) => [rows, accepted, tokens.length, isLast]);
    };
    assert.deepEqual(await reported(script.promptIds, 30), [
      [4, 3, 4, false],
      [4, 1, 2, true],
    ]);
    // The first 16 of these tokens are in the cache, so three are read in the first round.
    assert.deepEqual(await reported(script.tokens.slice(0, 19), 2), [
      [3, 0, 1, false],
      [1, 0, 1, true],
    ]);
    promptCache.dispose();
  });

  describe('when it is cancelled', () => {
    const script = newScript(700, 30);
    const seventh = `<${String(script.output[6])}>`;

    /** Creates a session whose prompt takes three passes, and whose rounds commit four and two tokens alternately. */
    function cancellable(onPass: (pass: number, controller: AbortController) => void = () => undefined) {
      const controller = new AbortController();
      const { drafter, ...models } = scriptedPair(script, [3, 1], { block: 4 });
      const target = new RecordingTarget(models.target, (pass) => onPass(pass, controller));
      const { promptIds } = script;
      const request = { promptIds, maxTokens: 30, signal: controller.signal, stopStrings: [`${seventh}?`] };
      return { controller, target, session: newSession({ target, drafter, tokenizer }, request) };
    }

    it('keeps the tokens of the round in which it is cancelled, and starts no other round', async () => {
      const before = liveArrays();
      const { target, session } = cancellable((pass, controller) => {
        if (pass === 4) controller.abort();
      });
      const { tokenIds, text, acceptanceLengths, finishReason } = await session.finish();
      assert.equal(liveArrays(), before);
      assert.equal(target.passes.length, 5);
      assert.deepEqual(acceptanceLengths, [4, 2]);
      assert.deepEqual(tokenIds, script.output.slice(0, 7));
      assert.equal(text, tokenizer.decode(tokenIds));
      assert.equal(finishReason, 'cancelled');
    });

    it('starts no round after one in which a message that cancels it takes five turns to arrive', async () => {
      const { target, session } = cancellable((pass, controller) => {
        if (pass === 4) void passTurns(5).then(() => controller.abort());
      });
      assert.equal((await session.finish()).finishReason, 'cancelled');
      assert.equal(target.passes.length, 5);
    });

    it('keeps the reason of an output that is complete when it is cancelled', async () => {
      const controller = new AbortController();
      const { drafter, target } = scriptedPair(script, [3]);
      const recording = new RecordingTarget(target, (pass) => {
        if (pass === 2) controller.abort();
      });
      const request = { promptIds: script.promptIds, maxTokens: 1, signal: controller.signal };
      const { finishReason } = await newSession({ target: recording, drafter }, request).finish();
      assert.equal(finishReason, 'length');
    });

    it('emits the held-back text when it is cancelled, and no more tokens', async () => {
      const { controller, session } = cancellable();
      const texts: string[] = [];
      for await (const { tokens, text } of session) {
        texts.push(text);
        if (controller.signal.aborted) assert.deepEqual(tokens, []);
        if (session.result.tokenIds.length >= 7) controller.abort();
      }
      assert.equal(texts.at(-1), seventh);
      assert.equal(session.result.tokenIds.length, 7);
      assert.equal(texts.join(''), tokenizer.decode(session.result.tokenIds));
      assert.equal(session.result.finishReason, 'cancelled');
    });
  });

  describe('when a model fails', () => {
    const script = newScript(300, 40);
    const request = { promptIds: script.promptIds, maxTokens: 30 };

    for (const [when, failing] of [
      ['in prefill', 1],
      ['in a round', 4],
    ] as const)
      it(`rethrows the error that the target threw ${when} and frees all arrays`, async () => {
        const before = liveArrays();
        const { target, drafter } = scriptedPair(script, [2]);
        const recording = new RecordingTarget(target, (pass) => {
          if (pass === failing) throw new Error('out of order');
        });
        const session = newSession({ target: recording, drafter }, request);
        await assert.rejects(async () => {
          for await (const chunk of session) assert.ok(chunk.tokens.length > 0);
        }, /out of order/);
        assert.equal(liveArrays(), before);
        assert.equal(session.result.finishReason, 'abandoned');
        assert.deepEqual(session.result.tokenIds, script.output.slice(0, session.result.tokenIds.length));
      });

    it('rejects drafts outside the vocabulary and frees all arrays', async () => {
      const before = liveArrays();
      const session = newSession(scriptedPair(script, [0], { wrong: () => 64 }), request);
      await assert.rejects(async () => {
        for await (const chunk of session) assert.equal(chunk.round, undefined);
      }, /token ids from 0 to 63, got 64/);
      assert.equal(liveArrays(), before);
    });
  });
});
