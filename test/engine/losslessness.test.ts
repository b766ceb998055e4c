// Tests that greedy output does not depend on the drafter, with a scripted target and drafters that are right in
// various patterns. Every decode checks its invariants after each round.
import assert from 'node:assert/strict';
import { checkedDecode } from '../support/checkedDecode';
import { fullSize } from '../support/fullSize';
import { OracleDrafter, type Oracle } from '../support/oracleDrafter';
import { END, newScript, ScriptedTarget } from '../support/scriptedTarget';
import { seededIntegers } from '../support/seededRandom';

const MAX_TOKENS = 70;
/** Lengths of prompts: some are read in one pass, others in several, of which the last has one token. */
const PROMPT_TOKENS = fullSize ? [1, 256, 513] : [1, 513];
const FORMS: readonly Oracle['form'][] = ['tokens', 'logits'];

/** Returns the tokens per round if the drafter is right `right[round]` times and no token ends the output. */
function expectedLengths(right: readonly number[], draftLength: number, maxTokens: number): number[] {
  const lengths: number[] = [];
  for (let remaining = maxTokens - 1; remaining > 0;) {
    const drafts = Math.min(draftLength, remaining - 1);
    const length = Math.min(right[lengths.length % right.length] ?? 0, drafts) + 1;
    lengths.push(length);
    remaining -= length;
  }
  return lengths;
}

describe('greedy decoding with drafts', () => {
  for (const block of [2, 8, 16]) {
    const maxDrafts = block - 1;
    const oracles: readonly (readonly [name: string, right: readonly number[]])[] = [
      ['always right', [maxDrafts]],
      ['never right', [0]],
      ['right once per round', [1]],
      ['right all but once per round', [maxDrafts - 1]],
      ['right alternately', [maxDrafts, 0]],
      ['right sometimes', seededIntegers(block, 50, 0, maxDrafts)],
      [
        'right rarely',
        seededIntegers(block, 50, -3 * maxDrafts, maxDrafts).map((count) => Math.max(0, count)),
      ],
    ];
    for (const [name, right] of oracles)
      it(`yields the plain output with blocks of ${String(block)} that are ${name}`, async () => {
        for (const promptTokens of PROMPT_TOKENS) {
          const script = newScript(promptTokens, MAX_TOKENS, { seed: block + promptTokens });
          const target = new ScriptedTarget(script);
          const request = { promptIds: script.promptIds, maxTokens: MAX_TOKENS };
          const plain = await checkedDecode({ target }, request);
          assert.deepEqual(plain.tokenIds, script.output);
          for (const form of FORMS) {
            const drafter = new OracleDrafter({ tokens: script.tokens, block, right, form });
            const { tokenIds, acceptanceLengths, finishReason } = await checkedDecode(
              { target, drafter },
              request,
            );
            assert.deepEqual(tokenIds, plain.tokenIds);
            assert.deepEqual(acceptanceLengths, expectedLengths(right, maxDrafts, MAX_TOKENS));
            assert.equal(finishReason, 'length');
          }
        }
      });
  }

  it('yields the plain output for every draft length, in the expected rounds', async () => {
    const script = newScript(9, MAX_TOKENS);
    const right = seededIntegers(5, 50, 0, 15);
    const target = new ScriptedTarget(script);
    for (let draftLength = 0; draftLength <= 18; draftLength++) {
      const drafter = new OracleDrafter({ tokens: script.tokens, block: 16, right });
      const request = { promptIds: script.promptIds, maxTokens: MAX_TOKENS, draftLength };
      const result = await checkedDecode({ target, drafter }, request);
      assert.deepEqual(result.tokenIds, script.output);
      const maxDrafts = Math.min(draftLength, 15);
      assert.deepEqual(result.acceptanceLengths, expectedLengths(right, maxDrafts, MAX_TOKENS));
      assert.equal(result.stats.draftedByPosition.length, maxDrafts);
    }
  });

  it('counts drafted and accepted tokens', async () => {
    const script = newScript(4, 12);
    const drafter = new OracleDrafter({ tokens: script.tokens, block: 4, right: [3, 1, 0, 2] });
    const request = { promptIds: script.promptIds, maxTokens: 12 };
    const { stats, acceptanceLengths } = await checkedDecode(
      { target: new ScriptedTarget(script), drafter },
      request,
    );
    assert.deepEqual(acceptanceLengths, [4, 2, 1, 3, 1]);
    assert.equal(stats.promptTokens, 4);
    assert.equal(stats.emittedTokens, 12);
    assert.equal(stats.rounds, 5);
    assert.equal(stats.draftedTokens, 12);
    assert.equal(stats.acceptedTokens, 6);
    assert.deepEqual(stats.draftedByPosition, [4, 4, 4]);
    assert.deepEqual(stats.acceptedByPosition, [3, 2, 1]);
    // The last round is a plain step.
    assert.equal(stats.wholeRounds, 1);
    assert.deepEqual(stats.mismatchesByPosition, [1, 1, 1]);
    assert.deepEqual(stats.sources, [{ name: 'oracle', rounds: 4, drafted: 12, accepted: 6 }]);
    assert.ok(stats.prefillMs > 0 && stats.timeToFirstTokenMs >= stats.prefillMs);
    assert.ok(stats.buildMs > 0 && stats.buildMs <= stats.draftMs + stats.verifyMs);
    assert.ok(stats.peakMemoryBytes > 0);
    assert.equal(stats.decodeMs, stats.draftMs + stats.verifyMs);
  });

  it('yields the plain output wherever end token and limit fall, and with drafted end tokens', async () => {
    for (let seed = 0; seed < 150; seed++) {
      const [block = 2, promptTokens = 1, endAt = 0, maxTokens = 1] = [
        ...seededIntegers(seed, 1, 2, 16),
        ...seededIntegers(seed + 1, 1, 1, 30),
        ...seededIntegers(seed + 2, 1, 0, 30),
        ...seededIntegers(seed + 3, 1, 1, 30),
      ];
      const script = newScript(promptTokens, 40, { seed, endAt });
      const right = seededIntegers(seed + 4, 20, 0, block - 1);
      const wrong = seed % 2 ? { wrong: () => END } : {};
      const drafter = new OracleDrafter({ tokens: script.tokens, block, right, ...wrong });
      const request = { promptIds: script.promptIds, maxTokens };
      const result = await checkedDecode({ target: new ScriptedTarget(script), drafter }, request);
      assert.deepEqual(result.tokenIds, script.output.slice(0, Math.min(endAt + 1, maxTokens)));
      assert.equal(result.finishReason, endAt < maxTokens ? 'stop' : 'length');
    }
  });
});
