// Chance is a function of seed and position, even and independent as far as anyone can count.
import assert from 'node:assert/strict';
import { chancesAt } from '../../../server/engine/sampling/chances';
import { chiSquareTest } from '../../support/chiSquare';

const COUNT = 20_000;
const CELLS = 10;

describe('chances', () => {
  const seeds = Array.from({ length: COUNT }, (_, i) => chancesAt(i, 3));
  const positions = Array.from({ length: COUNT }, (_, i) => chancesAt(3, i));
  const names = ['draft', 'accept', 'token'] as const;

  it('are the same for the same seed and position, in any order, and different otherwise', () => {
    assert.deepEqual(chancesAt(7, 5), chancesAt(7, 5));
    const all = [...seeds, ...positions.slice(4)].flatMap(({ draft, accept, token }) => [
      draft,
      accept,
      token,
    ]);
    assert.equal(new Set(all).size, all.length);
    assert.notDeepEqual(chancesAt(1, 23), chancesAt(12, 3));
    for (const seed of [0, 2 ** 32 - 1, Number.MAX_SAFE_INTEGER]) assert.ok(chancesAt(seed, 0).token < 1);
  });

  for (const [what, drawn] of [
    ['seeds', seeds],
    ['positions', positions],
  ] as const)
    it(`fall evenly over consecutive ${what}, and each whatever the others and the next ones are`, () => {
      const cell = (chance: number): number => Math.floor(chance * CELLS);
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
