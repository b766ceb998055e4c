// What is made of a drafter's proposal: the best token of each row of logits and how sure it is, or the tokens as
// they are. On logits written by hand.
import assert from 'node:assert/strict';
import { DecodeMemory } from '../../server/engine/decode/decodeMemory';
import { draftWith, NO_DRAFT, type Draft } from '../../server/engine/decode/draft';
import { fixedLength } from '../../server/engine/draftLength/draftLength';
import { StopCriteria } from '../../server/engine/stopCriteria';
import { round } from '../../server/engine/decode/round';
import type { RoundStart } from '../../server/engine/decode/roundStart';
import { samplerOf } from '../../server/engine/sampling/samplerOf';
import { samplingOf } from '../../server/engine/request/sampling';
import type { Drafter, Proposal } from '../../server/models/drafters/drafter';
import { liveArrays } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';
import { ngramDrafter } from '../../server/models/drafters/ngramDrafter';
import { noDrafter } from '../support/noDrafter';
import { arrayOf } from '../support/arrayValues';
import { OracleDrafter } from '../support/oracleDrafter';
import { roundStart } from '../support/roundStart';
import { newScript, ScriptedTarget } from '../support/scriptedTarget';

const VOCABULARY = 10;

/** A drafter that proposes this, and writes down what it was asked for. */
function proposing(proposal: (count: number) => Proposal, asked: number[] = []): Drafter {
  const newState: Drafter['newState'] = (target, rows) => {
    const state = noDrafter.newState(target, rows);
    state.propose = (_anchor, count) => {
      asked.push(count);
      return proposal(count);
    };
    return state;
  };
  return { ...noDrafter, name: 'proposing', maxDraftTokens: 15, newState };
}

/** Logits of one row, in which `best` has this probability and all others are alike. */
function row(best: number, probability: number): number[] {
  const other = Math.log((1 - probability) / (VOCABULARY - 1));
  // Any constant may be added to logits.
  return Array.from({ length: VOCABULARY }, (_, id) => 3 + (id === best ? Math.log(probability) : other));
}

function assertNear(actual: readonly number[], expected: readonly number[]): void {
  assert.equal(actual.length, expected.length);
  for (const [i, each] of actual.entries()) assert.ok(Math.abs(each - (expected[i] ?? NaN)) < 1e-5);
}

const logitsOf = (rows: readonly number[][]) => ({
  logits: arrayOf([1, rows.length, VOCABULARY], rows.flat()),
});

async function draft(
  drafter: Drafter,
  count: number,
  index = 0,
  more: Partial<RoundStart> = {},
): Promise<Draft> {
  const memory = DecodeMemory.empty(new ScriptedTarget(newScript(1, 1)), [drafter], 1);
  const before = liveArrays();
  const drafted = await draftWith({ ...roundStart(memory, [5]), ...more }, index, count);
  assert.equal(liveArrays(), before, 'arrays left by a draft');
  memory.dispose();
  return drafted;
}

describe('a draft', () => {
  it('has the best token of each row of logits, and its probability', async () => {
    const probabilities = [0.15, 0.4, 0.61, 0.96, 0.999999];
    const drafter = proposing(() => logitsOf(probabilities.map((each, i) => row(i, each))));
    const { tokens, confidence } = await draft(drafter, probabilities.length);
    assert.deepEqual(tokens, [0, 1, 2, 3, 4]);
    assertNear(confidence, probabilities);
  });

  /** Adds this to the logit of each of the three candidates of a row, whatever comes before. */
  const selecting = (rows: readonly number[][], gain: (token: number) => number): Proposal => ({
    ...logitsOf(rows),
    selector: {
      candidates: 3,
      gains: (ids) => {
        const gains = mx.rows(ids).flatMap((tokens) => tokens.flatMap(() => tokens.map(gain)));
        const [, count = 0] = ids.shape;
        return arrayOf([rows.length, count, count], gains);
      },
    },
  });

  /** Three candidates with these weights, from token 4 on, before all others. */
  const candidates = (...weights: readonly number[]): number[] =>
    Array.from({ length: VOCABULARY }, (_, id) => 3 + Math.log(weights[id - 4] ?? 0.9));

  it('is as sure as the best candidate is among those of a selector, whatever the selector makes of them', async () => {
    const rows = [candidates(16, 3, 1), candidates(1, 18, 1), candidates(2, 5, 13)];
    for (const [favourite, tokens] of [
      [0, [4, 5, 6]],
      [100, [6, 6, 6]],
    ] as const) {
      const drafter = proposing(() => selecting(rows, (token) => (token === 6 ? favourite : 0)));
      const drafted = await draft(drafter, rows.length);
      assert.deepEqual(drafted.tokens, tokens);
      // Of probabilities 0.8, 0.9 and 0.65; of the whole row they would be less.
      assertNear(drafted.confidence, [0.8, 0.9, 0.65]);
    }
  });

  it('is no more and no less sure for what is forbidden, or for what chance has drawn', async () => {
    const rows = [candidates(16, 3, 1), candidates(1, 18, 1)];
    for (let seed = 0; seed < 10; seed++) {
      const sampling = { temperature: 2, acceptance: 'rejection', forbiddenTokens: [5, 9], seed } as const;
      const drafter = proposing(() => selecting(rows, (token) => token));
      const drafted = await draft(drafter, rows.length, 0, { sampler: samplerOf(samplingOf(sampling)) });
      assert.ok(!drafted.tokens.includes(5));
      assertNear(drafted.confidence, [0.8, 0.9]);
    }
  });

  it('is as sure as can be where all other tokens are impossible', async () => {
    const only = Array.from({ length: VOCABULARY }, (_, id) => (id === 4 ? 0 : -Infinity));
    const { tokens, confidence } = await draft(
      proposing(() => logitsOf([only])),
      1,
    );
    assert.deepEqual([tokens, confidence], [[4], [1]]);
  });

  it('has the tokens of a drafter without a distribution as they are', async () => {
    const drafter = proposing(() => ({ tokens: [3, 1], confidence: [0.2, 0.5] }));
    const drafted = await draft(drafter, 9);
    assert.deepEqual(
      [drafted.tokens, drafted.confidence],
      [
        [3, 1],
        [0.2, 0.5],
      ],
    );
    assert.equal(drafted.drafter, drafter);
  });

  it('is asked for with the count it is to have, and not at all without one', async () => {
    const asked: number[] = [];
    const drafter = proposing((count) => ({ tokens: Array<number>(count).fill(1), confidence: [] }), asked);
    for (const count of [7, 1, 0, -1]) await draft(drafter, count);
    assert.deepEqual(asked, [7, 1]);
  });

  it('comes after several tokens that were not read yet, which the memory then holds no more than before', async () => {
    const memory = DecodeMemory.empty(new ScriptedTarget(newScript(1, 1)), [ngramDrafter()], 1);
    for (let time = 0; time < 2; time++) {
      const { tokens } = await draftWith(roundStart(memory, [1, 2, 3, 4, 1, 2]), 0, 2);
      assert.deepEqual(tokens, [3, 4]);
      assert.equal(memory.drafts[0]?.offset, 0);
    }
    memory.dispose();
  });

  it('needs the taps of all tokens but the anchor, where the drafter looks at taps', async () => {
    const drafter = new OracleDrafter({ tokens: [1, 2, 3], block: 4, right: [3] });
    const memory = DecodeMemory.empty(new ScriptedTarget(newScript(1, 1)), [drafter], 1);
    assert.equal(await draftWith(roundStart(memory, [1, 2]), 0, 2), NO_DRAFT);
    const { tokens } = await draftWith(roundStart(memory, [1]), 0, 2);
    assert.deepEqual(tokens, [2, 3]);
    memory.dispose();
  });

  it('is verified as far as the output would go, unless chance has drawn it', async () => {
    const rows = [row(7, 0.97), row(3, 0.7), row(2, 0.9)];
    const [logits, tokens] = [proposing(() => logitsOf(rows)), [7, 3, 2]];
    const drafted = async (drafter: Drafter, acceptance?: 'match' | 'rejection'): Promise<unknown> => {
      const memory = DecodeMemory.empty(new ScriptedTarget(newScript(1, 9)), [drafter], 1);
      const sampling = acceptance && ({ temperature: 0.1, acceptance, seed: 1 } as const);
      const start = { ...roundStart(memory, [5]), sampler: samplerOf(samplingOf(sampling)) };
      // Not the first token, which is never drafted where drafts are drawn.
      const at = { history: [1, 5], position: 1 };
      const ending = new StopCriteria({ maxTokens: 20, stopTokenIds: [2] }, [], undefined);
      const chunk = await round({ ...start, at }, fixedLength(3), ending);
      memory.dispose();
      return chunk.round?.drafted;
    };
    assert.equal(await drafted(logits), 2);
    assert.equal(await drafted(proposing(() => ({ tokens, confidence: [6, 3, 5] }))), 2);
    assert.equal(await drafted(logits, 'rejection'), 3);
    assert.equal(await drafted(logits, 'match'), 2);
  });

  it('is none when there is nobody to ask', async () => {
    const drafter = proposing(() => ({ tokens: [1], confidence: [0] }));
    assert.equal(await draft(drafter, 0), NO_DRAFT);
    assert.equal(await draft(drafter, 3, 1), NO_DRAFT);
  });

  it('leaves no array behind when the drafter fails', async () => {
    const before = liveArrays();
    const failing = proposing(() => {
      logitsOf([row(1, 0.5)]);
      throw new Error('out of order');
    });
    await assert.rejects(draft(failing, 1), /out of order/);
    assert.equal(liveArrays(), before);
  });
});
