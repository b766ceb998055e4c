// Where a decode ends, round by round: the end token in every place of a round, the limit, and stop strings.
// On a scripted target, with the caches checked after each round.
import assert from 'node:assert/strict';
import type { FinishReason } from '../../server/engine/request/stats';
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
  interface Case {
    readonly endAt?: number;
    readonly right: readonly number[];
    readonly maxTokens: number;
    readonly tokens: number;
    readonly lengths: readonly number[];
    readonly finishReason: FinishReason;
  }
  const stop = { maxTokens: 30, finishReason: 'stop' } as const;
  const length = { right: [7], finishReason: 'length' } as const;
  const cases: Readonly<Record<string, Case>> = {
    'an end token that is the first token': { ...stop, endAt: 0, right: [7], tokens: 1, lengths: [] },
    'an end token that is the first draft': { ...stop, endAt: 1, right: [7], tokens: 2, lengths: [1] },
    'an end token that is a middle draft': { ...stop, endAt: 4, right: [7], tokens: 5, lengths: [4] },
    'an end token that is the last draft': { ...stop, endAt: 7, right: [7], tokens: 8, lengths: [7] },
    'an end token that is the bonus': { ...stop, endAt: 8, right: [7], tokens: 9, lengths: [8] },
    'an end token that is the correction': { ...stop, endAt: 4, right: [3], tokens: 5, lengths: [4] },
    'an end token that corrects the first draft': { ...stop, endAt: 1, right: [0], tokens: 2, lengths: [1] },
    'an end token in a later round': { ...stop, endAt: 11, right: [7], tokens: 12, lengths: [8, 3] },
    'an end token at the limit': {
      ...stop,
      endAt: 9,
      right: [7],
      maxTokens: 10,
      tokens: 10,
      lengths: [8, 1],
    },
    'a limit of 1': { ...length, maxTokens: 1, tokens: 1, lengths: [] },
    'a limit of 2': { ...length, maxTokens: 2, tokens: 2, lengths: [1] },
    'a limit of 3': { ...length, maxTokens: 3, tokens: 3, lengths: [2] },
    'a limit that a round fills exactly': { ...length, maxTokens: 9, tokens: 9, lengths: [8] },
    'a limit one token after a full round': { ...length, maxTokens: 10, tokens: 10, lengths: [8, 1] },
    'a limit one token before the end token': { ...length, endAt: 5, maxTokens: 5, tokens: 5, lengths: [4] },
  };
  for (const [name, { endAt, right, maxTokens, tokens, lengths, finishReason }] of Object.entries(cases))
    it(`ends at ${name}, with clean caches`, async () => {
      const script = newScript(10, 40, { endAt });
      const wish = { promptIds: script.promptIds, maxTokens };
      for (const form of ['tokens', 'logits'] as const) {
        const result = await checkedDecode(scriptedPair(script, right, { form }), wish);
        assert.deepEqual(result.tokenIds, script.output.slice(0, tokens));
        assert.deepEqual(result.acceptanceLengths, lengths);
        assert.equal(result.finishReason, finishReason);
        assert.equal(result.stats.emittedTokens, tokens);
      }
    });

  it('ends at tokens that the request names, as at end tokens', async () => {
    const script = newScript(10, 40);
    for (const at of [0, 4, 11]) {
      const stopTokenIds = script.output.slice(at, at + 1);
      const wish = { promptIds: script.promptIds, maxTokens: 30, stopTokenIds };
      const { tokenIds, finishReason } = await checkedDecode(scriptedPair(script, [7]), wish);
      assert.deepEqual(tokenIds, script.output.slice(0, script.output.indexOf(tokenIds.at(-1) ?? NaN) + 1));
      assert.equal(tokenIds.at(-1), stopTokenIds[0]);
      assert.equal(finishReason, 'stop');
    }
  });

  it('counts a drawn end token as accepted and what was drafted after it as not', async () => {
    const script = newScript(10, 40, { endAt: 3 });
    const sampler = samplerOf(samplingOf({ temperature: 0.01, acceptance: 'rejection', seed: 1 }));
    const wish = { promptIds: script.promptIds, maxTokens: 30, sampler };
    const { stats } = await checkedDecode(scriptedPair(script, [7], { form: 'logits' }), wish);
    assert.equal(stats.draftedTokens, 7);
    assert.equal(stats.acceptedTokens, 3);
  });

  it('asks for no draft that the limit forbids', async () => {
    const script = newScript(3, 40);
    const wish = { promptIds: script.promptIds, maxTokens: 12 };
    const { stats } = await checkedDecode(scriptedPair(script, [7]), wish);
    // A round of 8 tokens, and one of the 3 that remain.
    assert.equal(stats.draftedTokens, 7 + 2);
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

    const script = newScript(5, 40);
    const piece = (index: number): string => tokenizer.decode(script.output.slice(index, index + 1));
    const places: Readonly<Record<string, string[]>> = {
      'inside the first token': [piece(0).slice(0, 2)],
      'inside an accepted draft': [piece(4)],
      'across two drafts of one round': [piece(3).slice(-2) + piece(4).slice(0, 2)],
      'across two rounds': [piece(8).slice(-2) + piece(9)],
      'over several tokens': [
        script.output
          .slice(6, 11)
          .map((_, i) => piece(6 + i))
          .join(''),
      ],
      'inside the last token': [piece(38) + piece(39)],
      'that never comes': ['nothing'],
      'of which the second comes first': [piece(20), piece(11) + piece(12)],
      'that are parts of each other': [piece(4) + piece(5) + piece(6), piece(5)],
    };
    for (const [place, stopStrings] of Object.entries(places))
      it(`ends at one ${place}, with clean caches`, async () => {
        for (const right of [[7], [0], [2, 5]]) await requireStop(script, right, stopStrings);
      });

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
