// Tests the part in which two texts differ: whole characters, also where halves of two are equal.
import assert from 'node:assert/strict';
import { textDifference } from '../../server/rules/textDifference';

describe('the difference of two texts', () => {
  const CASES: readonly (readonly [
    before: string,
    after: string,
    start: number,
    removed: string,
    inserted: string,
  ])[] = [
    ['abc', 'abc', 3, '', ''],
    ['abc', 'axc', 1, 'b', 'x'],
    ['', 'a', 0, '', 'a'],
    ['aa', 'aaa', 2, '', 'a'],
    ['a', '', 0, 'a', ''],
    // Equal first halves, equal second halves, and a half that ends or begins one text only.
    ['x😀y', 'x😁y', 1, '😀', '😁'],
    ['x\u{1f600}y', 'x\u{1fa00}y', 1, '\u{1f600}', '\u{1fa00}'],
    ['x😀', 'x\ud83d', 1, '😀', '\ud83d'],
    ['x\ud83d', 'x😀', 1, '\ud83d', '😀'],
    ['😀x', '\ude00x', 0, '😀', '\ude00'],
    ['\ude00x', '😀x', 0, '\ude00', '😀'],
  ];
  for (const [before, after, start, removed, inserted] of CASES)
    it(`removes ${JSON.stringify(removed)} and inserts ${JSON.stringify(inserted)} for ${JSON.stringify([before, after])}`, () => {
      assert.deepEqual(textDifference(before, after), { start, removed, inserted });
    });
});
