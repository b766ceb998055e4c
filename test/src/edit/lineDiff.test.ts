// Line differences: known ones, and properties over random texts.
import assert from 'node:assert/strict';
import { lineDiff, type LineChange } from '../../../src/instruct/edit/lineDiff';
import { seededIntegers, seededRandom } from '../../support/seededRandom';

function apply(before: readonly string[], changes: readonly LineChange[]): string[] {
  const result = [...before];
  for (const { at, removed, added } of changes.toReversed()) result.splice(at, removed, ...added);
  return result;
}

/** The slow and sure way. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  if (a[0] === b[0]) return 1 + commonLength(a.slice(1), b.slice(1));
  return Math.max(commonLength(a.slice(1), b), commonLength(a, b.slice(1)));
}

const lines = (text: string): string[] => [...text];

describe('lineDiff', () => {
  const known: readonly (readonly [string, string, LineChange[]])[] = [
    ['abc', 'abc', []],
    ['', '', []],
    ['abc', 'axc', [{ at: 1, removed: 1, added: ['x'] }]],
    ['abc', 'ac', [{ at: 1, removed: 1, added: [] }]],
    ['ac', 'abc', [{ at: 1, removed: 0, added: ['b'] }]],
    ['', 'ab', [{ at: 0, removed: 0, added: ['a', 'b'] }]],
    ['ab', '', [{ at: 0, removed: 2, added: [] }]],
    [
      'abcdef',
      'axcdyyf',
      [
        { at: 1, removed: 1, added: ['x'] },
        { at: 4, removed: 1, added: ['y', 'y'] },
      ],
    ],
  ];
  for (const [before, after, changes] of known)
    it(`finds what leads from "${before}" to "${after}"`, () => {
      assert.deepEqual(lineDiff(lines(before), lines(after)), changes);
    });

  it('leads from any text to any other in the fewest lines, in changes that do not touch', () => {
    const random = seededRandom(1);
    const draw = (): string[] =>
      Array.from({ length: Math.floor(random() * 9) }, () => 'abc'[Math.floor(random() * 3)] ?? '');
    for (let i = 0; i < 500; i += 1) {
      const [before, after] = [draw(), draw()];
      const changes = lineDiff(before, after);
      assert.deepEqual(apply(before, changes), after);
      const removed = changes.reduce((sum, change) => sum + change.removed, 0);
      assert.equal(
        before.length - removed,
        commonLength(before, after),
        `${before.join('')} ${after.join('')}`,
      );
      for (const [k, { at }] of changes.entries()) {
        const last = changes[k - 1];
        if (last) assert.ok(at > last.at + last.removed);
      }
    }
  });

  it('is one change where a table would be too large', () => {
    const numbers = (seed: number): string[] => seededIntegers(seed, 3000, 0, 9).map(String);
    const [before, after] = [
      ['a', ...numbers(1), 'z'],
      ['a', 'b', ...numbers(2), 'z'],
    ];
    const changes = lineDiff(before, after);
    assert.equal(changes.length, 1);
    assert.deepEqual(apply(before, changes), after);
  });
});
