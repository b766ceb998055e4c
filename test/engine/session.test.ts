// What a decode does at its end: which drafts count, stop strings wherever they fall, and models that fail. On a
// scripted target, with the caches checked after each round.
import assert from 'node:assert/strict';
import { samplerOf } from '../../server/engine/sampling/samplerOf';
import { samplingOf } from '../../server/engine/request/sampling';
import { liveArrays } from '../../server/models/mlx/memory';
import { checkedDecode, newSession } from '../support/checkedDecode';
import { OracleDrafter, type Oracle } from '../support/oracleDrafter';
import { PieceTokenizer } from '../support/pieceTokenizer';
import { RecordingTarget } from '../support/recordingTarget';
import { newScript, ScriptedTarget, type Script } from '../support/scriptedTarget';
import { seededIntegers } from '../support/seededRandom';

/** A script with a drafter of 7 tokens per round. */
function scriptedPair(script: Script, right: readonly number[], oracle: Partial<Oracle> = {}) {
  const drafter = new OracleDrafter({ tokens: script.tokens, block: 8, right, ...oracle });
  return { target: new ScriptedTarget(script), drafter };
}

describe('DecodeSession', () => {
  it('counts a drawn end token as accepted and what was drafted after it as not', async () => {
    const script = newScript(10, 40, { endAt: 3 });
    const sampler = samplerOf(samplingOf({ temperature: 0.01, acceptance: 'rejection', seed: 1 }));
    const wish = { promptIds: script.promptIds, maxTokens: 30, sampler };
    const { stats } = await checkedDecode(scriptedPair(script, [7], { form: 'logits' }), wish);
    assert.equal(stats.draftedTokens, 7);
    assert.equal(stats.acceptedTokens, 3);
  });

  it('verifies no draft from the end of the output on, wherever that is known from', async () => {
    const tokenizer = new PieceTokenizer(Array.from({ length: 64 }, (_, id) => `<${String(id)}>`));
    const script = newScript(5, 40);
    const text = (tokens: number): string => tokenizer.decode(script.output.slice(0, tokens));
    const wishes = {
      'an end token': { stopTokenIds: script.output.slice(12, 13) },
      'a stop string': { stopStrings: [text(13).slice(text(11).length)] },
      'who reads': { isComplete: (output: string) => output.startsWith(text(13)) },
    };
    for (const [name, wish] of Object.entries(wishes)) {
      const models = { ...scriptedPair(script, [7]), tokenizer };
      const session = newSession(models, { promptIds: script.promptIds, maxTokens: 40, ...wish });
      for await (const { tokens } of session) if (tokens.includes(script.output[12] ?? 0)) break;
      const { tokenIds, stats } = session.result;
      assert.deepEqual(tokenIds, script.output.slice(0, 13), name);
      // After the first token and a full round, three drafts; the end is the target's own next token.
      assert.equal(stats.draftedTokens, 7 + 3, name);
      assert.deepEqual(session.result.acceptanceLengths, [8, 4], name);
    }
  });

  describe('with stop strings', () => {
    /** Token i is written as <i>, so that every place of a text belongs to one token. */
    const tokenizer = new PieceTokenizer(Array.from({ length: 64 }, (_, id) => `<${String(id)}>`));

    /** What must come out, from the text of the whole output. */
    function expected({ output }: Script, stopStrings: readonly string[]): { tokens: number; text: string } {
      const stopped = output.findIndex((_, i) => {
        const text = tokenizer.decode(output.slice(0, i + 1));
        return stopStrings.some((each) => text.includes(each));
      });
      const tokens = stopped < 0 ? output.length : stopped + 1;
      const text = tokenizer.decode(output.slice(0, tokens));
      const found = stopStrings.map((each) => text.indexOf(each)).filter((at) => at >= 0);
      return { tokens, text: text.slice(0, found.length > 0 ? Math.min(...found) : undefined) };
    }

    async function requireStop(
      script: Script,
      right: readonly number[],
      stopStrings: string[],
    ): Promise<void> {
      const wish = { promptIds: script.promptIds, maxTokens: script.output.length, stopStrings };
      const result = await checkedDecode({ ...scriptedPair(script, right), tokenizer }, wish);
      const { tokens, text } = expected(script, stopStrings);
      assert.deepEqual(result.tokenIds, script.output.slice(0, tokens));
      assert.equal(result.text, text);
      const stopped = text.length < tokenizer.decode(result.tokenIds).length;
      assert.equal(result.finishReason, stopped ? 'stop' : 'length');
    }

    it('ends at any piece of the text in the same place for any drafter', async () => {
      for (let seed = 0; seed < 80; seed++) {
        const random = newScript(5, 40, { seed });
        const text = tokenizer.decode(random.output);
        const [from = 0] = seededIntegers(seed, 1, 0, text.length - 9);
        const [size = 1] = seededIntegers(seed + 1, 1, 1, 9);
        await requireStop(random, seededIntegers(seed, 9, 0, 7), [text.slice(from, from + size)]);
      }
    });
  });

  describe('when a model fails', () => {
    const script = newScript(300, 40);
    const wish = { promptIds: script.promptIds, maxTokens: 30 };

    for (const [when, failing] of [
      ['in prefill', 1],
      ['in a round', 4],
    ] as const)
      it(`throws what the target threw ${when} and frees everything`, async () => {
        const before = liveArrays();
        const { target, drafter } = scriptedPair(script, [2]);
        const recording = new RecordingTarget(target, (pass) => {
          if (pass === failing) throw new Error('out of order');
        });
        const session = newSession({ target: recording, drafter }, wish);
        await assert.rejects(async () => {
          for await (const chunk of session) assert.ok(chunk.tokens.length > 0);
        }, /out of order/);
        assert.equal(liveArrays(), before);
        assert.equal(session.result.finishReason, 'abandoned');
        assert.deepEqual(session.result.tokenIds, script.output.slice(0, session.result.tokenIds.length));
      });

    it('refuses drafts outside the vocabulary and frees everything', async () => {
      const before = liveArrays();
      const session = newSession(scriptedPair(script, [0], { wrong: () => 64 }), wish);
      await assert.rejects(async () => {
        for await (const chunk of session) assert.equal(chunk.round, undefined);
      }, /token ids from 0 to 63, got 64/);
      assert.equal(liveArrays(), before);
    });
  });
});
