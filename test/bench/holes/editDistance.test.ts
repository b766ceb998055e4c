// Edit distances that can be counted by hand, and what follows from them.
import assert from 'node:assert/strict';
import { editDistance, editSimilarity } from '../../../bench/holes/editDistance';

describe('editDistance', () => {
  const cases: readonly (readonly [a: string, b: string, distance: number])[] = [
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', 'abc', 0],
    ['abc', 'axc', 1],
    ['abc', 'ac', 1],
    ['abc', 'abcd', 1],
    ['abc', 'bcd', 2],
    ['kitten', 'sitting', 3],
    ['flaw', 'lawn', 2],
    ['a😀b', 'ab', 1],
  ];
  for (const [a, b, distance] of cases)
    it(`is ${String(distance)} between "${a}" and "${b}", either way`, () => {
      assert.equal(editDistance(a, b), distance);
      assert.equal(editDistance(b, a), distance);
    });
});

describe('editSimilarity', () => {
  it('is the part of the longer text that stays', () => {
    assert.equal(editSimilarity('abcd', 'abxd'), 0.75);
    assert.equal(editSimilarity('ab', 'abcd'), 0.5);
  });

  it('is 1 for the same and 0 for nothing in common', () => {
    assert.equal(editSimilarity('', ''), 1);
    assert.equal(editSimilarity('same', 'same'), 1);
    assert.equal(editSimilarity('abc', ''), 0);
    assert.equal(editSimilarity('abc', 'xyz'), 0);
  });
});
