// Penalties inside a block: each row of it is drawn from what it would be drawn from if the drafts before it were text
// already. Against a decode step by step with a chain that was written anew.
import assert from 'node:assert/strict';
import { probabilityOf } from '../../../server/engine/sampling/distribution';
import { occurrences } from '../../../server/engine/sampling/penalised';
import { draftRowDraws, rowOf, targetRowDraws } from '../../../server/engine/sampling/rowDraws';
import { samplingOf } from '../../../server/engine/sampling/sampling';
import { chancesAt } from '../../../server/engine/sampling/chances';
import { assertClose } from '../../support/arrayValues';
import { partialRow } from '../../support/partialRow';
import { plainProbabilities } from '../../support/plainChain';
import { seededIntegers, seededRandom } from '../../support/seededRandom';

const CASES = 500;
const VOCABULARY = 24;

describe('rows of a block', () => {
  it(`have the penalties of a decode step by step in ${String(CASES)} random cases`, () => {
    for (let seed = 0; seed < CASES; seed++) {
      const random = seededRandom(seed);
      const between = (low: number, high: number): number => low + random() * (high - low);
      const sampling = samplingOf({
        temperature: [0, 0.7, 1.3][seed % 3],
        repetitionPenalty: seed % 2 === 0 ? between(0.8, 2) : 1,
        presencePenalty: seed % 4 < 2 ? between(-1, 2) : 0,
        frequencyPenalty: seed % 8 < 4 ? between(-0.5, 1.5) : 0,
        penaltyWindow: Math.floor(between(0, 14)),
        topP: seed % 5 === 0 ? between(0.3, 0.95) : 1,
        seed,
      });
      // Few tokens, so that they come back while others leave the window.
      const history = seededIntegers(seed, 1 + Math.floor(random() * 20), 0, 7);
      const drafts = seededIntegers(seed + 1, Math.floor(random() * 16), 0, 7);
      const logits = Array.from({ length: drafts.length + 1 }, () =>
        Array.from({ length: VOCABULARY }, () => between(-4, 5)),
      );
      const rows = logits.map((row) => partialRow(row, { largest: VOCABULARY }));
      const at = { history, position: 3 };
      for (const draws of [targetRowDraws(rows, at, sampling), draftRowDraws(rows, at, sampling)])
        for (const [row, own] of logits.entries()) {
          const from = draws.from(row, drafts);
          const actual = own.map((_, token) => probabilityOf(from, token));
          const text = [...history, ...drafts.slice(0, row)];
          assertClose(actual, plainProbabilities(own, text, sampling), 1e-9, `row ${row} of case ${seed}`);
        }
    }
  });

  it('have the chances of their positions', () => {
    const sampling = samplingOf({ seed: 5 });
    const { chances } = targetRowDraws([], { history: [1], position: 7 }, sampling);
    for (const row of [0, 1, 15]) assert.deepEqual(chances(row), chancesAt(5, 7 + row));
  });

  it('are as many as there are', () => {
    const row = partialRow([1, 2], { largest: 2 });
    assert.equal(rowOf([row], 0), row);
    assert.throws(() => rowOf([row], 1), RangeError);
  });
});

describe('occurrences', () => {
  it('are counted at the end of the history with its drafts', () => {
    const count = (penaltyWindow: number, history: readonly number[], drafts?: readonly number[]) =>
      Object.fromEntries(occurrences({ penaltyWindow }, history, drafts));
    assert.deepEqual(count(3, [1, 2, 2, 3]), { 2: 2, 3: 1 });
    assert.deepEqual(count(9, [1, 2, 2]), { 1: 1, 2: 2 });
    assert.deepEqual(count(3, [1, 2, 2, 3], [2]), { 2: 2, 3: 1 });
    assert.deepEqual(count(3, [1, 2], [3, 4, 5]), { 3: 1, 4: 1, 5: 1 });
    assert.deepEqual(count(2, [1, 2], [3, 4, 5]), { 4: 1, 5: 1 });
    assert.deepEqual(count(0, [1, 2], [3]), {});
    assert.deepEqual(count(4, []), {});
  });
});
