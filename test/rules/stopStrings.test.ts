// Tests the search for stop strings against its definition, with random texts in which stop strings overlap and begin
// with each other.
import assert from 'node:assert/strict';
import { StopStrings } from '../../server/rules/stopStrings';
import { seededIntegers } from '../support/seededRandom';

/** Returns random texts of the letters a, b and c. */
function texts(seed: number, count: number, maxLength: number): string[] {
  const lengths = seededIntegers(seed, count, 1, maxLength);
  return lengths.map((length, i) =>
    seededIntegers(seed * 1000 + i, length, 0, 2)
      .map((letter) => 'abc'[letter])
      .join(''),
  );
}

describe('stop strings', () => {
  it('are found where the earliest begins, and text that can become a stop string is held back', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const stops = texts(seed, 1 + (seed % 4), 4);
      const [text = ''] = texts(seed + 5000, 1, 12);
      const found = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
      const expected = found.length > 0 ? Math.min(...found) : undefined;
      const search = new StopStrings(stops);
      assert.equal(search.find(text), expected, `${stops.join()} in ${text}`);
      if (expected !== undefined) continue;
      const lengths = Array.from(text, (_, i) => i + 1).filter((length) =>
        stops.some((stop) => stop.startsWith(text.slice(-length))),
      );
      assert.equal(search.unfinished(text), Math.max(0, ...lengths), `${stops.join()} after ${text}`);
    }
  });

  it('find nothing if the list is empty', () => {
    const none = new StopStrings([]);
    assert.deepEqual([none.isEmpty, none.find('abc'), none.unfinished('abc')], [true, undefined, 0]);
    assert.equal(new StopStrings(['a']).isEmpty, false);
  });
});
