// What rows are drawn from, each as if the drafts before it were text already, against a chain that was written anew; by
// which random numbers, even and independent as far as anyone can count; and what rejection sampling makes of drafts.
import assert from 'node:assert/strict';
import { accept } from '../../../server/engine/decode/accept';
import { certain, distribution, probabilityOf } from '../../../server/engine/sampling/distribution';
import { occurrences } from '../../../server/engine/sampling/processRow';
import { judgeDrafts, rngAt, rowDraws, type Rng } from '../../../server/engine/sampling/rowDraws';
import { samplingOf } from '../../../server/engine/request/sampling';
import { assertClose } from '../../support/arrayValues';
import { chiSquareTest } from '../../support/chiSquare';
import { partialRow } from '../../support/partialRow';
import { plainProbabilities } from '../../support/plainChain';
import { seededIntegers, seededRandom } from '../../support/seededRandom';

const CASES = 500;
const VOCABULARY = 24;
const COUNT = 20_000;
const CELLS = 10;

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
      const draws = rowDraws((row) => rows[row] ?? partialRow([], { largest: 0 }), at, sampling);
      for (const [row, own] of logits.entries()) {
        const from = draws.from(row, drafts);
        const actual = own.map((_, token) => probabilityOf(from, token));
        const text = [...history, ...drafts.slice(0, row)];
        assertClose(actual, plainProbabilities(own, text, sampling), 1e-9, `row ${row} of case ${seed}`);
      }
    }
  });

  it('have the random numbers of their positions', () => {
    const at = { history: [1], position: 7 };
    const { rng } = rowDraws(() => partialRow([1], { largest: 1 }), at, samplingOf({ seed: 5 }));
    for (const row of [0, 1, 15]) assert.deepEqual(rng(row), rngAt(5, 7 + row));
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

describe('the random numbers of a position', () => {
  const seeds = Array.from({ length: COUNT }, (_, i) => rngAt(i, 3));
  const positions = Array.from({ length: COUNT }, (_, i) => rngAt(3, i));
  const names = ['draft', 'accept', 'token'] as const;

  it('are the same for the same seed and position, in any order, and different otherwise', () => {
    assert.deepEqual(rngAt(7, 5), rngAt(7, 5));
    const all = [...seeds, ...positions.slice(4)].flatMap(({ draft, accept, token }) => [
      draft,
      accept,
      token,
    ]);
    assert.equal(new Set(all).size, all.length);
    assert.notDeepEqual(rngAt(1, 23), rngAt(12, 3));
    for (const seed of [0, 2 ** 32 - 1, Number.MAX_SAFE_INTEGER]) assert.ok(rngAt(seed, 0).token < 1);
  });

  for (const [what, drawn] of [
    ['seeds', seeds],
    ['positions', positions],
  ] as const)
    it(`fall evenly over consecutive ${what}, and each whatever the others and the next ones are`, () => {
      const cell = (number: number): number => Math.floor(number * CELLS);
      for (const [i, name] of names.entries()) {
        const next = names[(i + 1) % names.length] ?? name;
        const pairs: readonly (readonly [string, (at: number) => number])[] = [
          [`${name} and ${next}`, (at) => cell(drawn[at]?.[next] ?? NaN)],
          [`${name} and the next ${name}`, (at) => cell(drawn[at + 1]?.[name] ?? NaN)],
          [`${name} and the next ${next}`, (at) => cell(drawn[at + 1]?.[next] ?? NaN)],
        ];
        for (const [pair, second] of pairs) {
          const counts = Array<number>(CELLS ** 2).fill(0);
          for (let at = 0; at < COUNT - 1; at++) {
            const place = cell(drawn[at]?.[name] ?? NaN) * CELLS + second(at);
            counts[place] = (counts[place] ?? 0) + 1;
          }
          const p = chiSquareTest(counts, Array<number>(CELLS ** 2).fill(CELLS ** -2));
          assert.ok(p > 1e-3, `${pair}: p = ${String(p)}`);
        }
      }
    });
});

describe('rejection sampling', () => {
  const p = distribution([0, 1, 2], [0.5, 0.3, 0.2]);
  const q = distribution([0, 1], [0.8, 0.2]);
  const sampling = samplingOf({ temperature: 1, acceptance: 'rejection' });

  /** With the same random numbers in each row. */
  function accepted(drafts: readonly number[], rng: Partial<Rng>, from = q, asked: number[] = []) {
    const target = {
      from: (row: number) => {
        asked.push(row);
        return p;
      },
      rng: () => ({ draft: 0, accept: 0, token: 0, ...rng }),
    };
    const drafted = { tokens: drafts, distributions: drafts.map(() => from) };
    return accept(drafts, judgeDrafts(drafted, target, sampling));
  }

  it('keeps a draft while the random number is below the quotient of both probabilities', () => {
    const kept = (draft: number, number: number) => accepted([draft], { accept: number }).accepted === 1;
    assert.ok(kept(0, 0.624) && !kept(0, 0.626), '0.5 / 0.8');
    assert.ok(kept(1, 0.999999), '0.3 / 0.2');
  });

  it('never keeps what the target cannot say', () => {
    assert.deepEqual(accepted([7], {}, certain(7)).tokens, [0]);
  });

  it('corrects a refused draft from what the drafter has too little of', () => {
    const correction = (token: number) => accepted([0], { accept: 0.9, token }).tokens;
    // 0.1 of token 1 and 0.2 of token 2.
    assert.deepEqual(
      [correction(0), correction(0.33), correction(0.34), correction(0.99)],
      [[1], [1], [2], [2]],
    );
  });

  it('adds a bonus token of the target when all drafts stay', () => {
    assert.deepEqual(accepted([1, 0], { token: 0.95 }), { accepted: 2, tokens: [1, 0, 2] });
  });

  it('asks for no row behind the first refused draft', () => {
    const asked: number[] = [];
    assert.equal(accepted([1, 0, 1], { accept: 0.9 }, q, asked).accepted, 1);
    assert.deepEqual(asked, [0, 1]);
  });

  it('goes on behind a draft that is drawn again, where rounding leaves nothing to correct it from', () => {
    const same = accepted([0, 1], { accept: 1, token: 0.2 }, p);
    assert.deepEqual(same, { accepted: 1, tokens: [0, 0] });
  });
});
