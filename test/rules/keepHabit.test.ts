// What counts of kept suggestions make of the probability of the next one.
import assert from 'node:assert/strict';
import { keepOffset, MOST_OFFSET, NO_HABIT, withOutcome, type KeepHabit } from '../../server/rules/keepHabit';

/** `count` suggestions that were expected to be kept half the time. */
function habit(count: number, isKept: (i: number) => boolean): KeepHabit {
  const outcomes = Array.from({ length: count }, (_, i) => isKept(i));
  return outcomes.reduce((before, kept) => withOutcome(before, 0.5, kept), NO_HABIT);
}

describe('habits', () => {
  it('change nothing where nothing was seen, or what was expected', () => {
    assert.equal(keepOffset(NO_HABIT), 0);
    assert.equal(keepOffset(habit(100, (i) => i % 2 === 0)), 0);
  });

  it('lower the probability for who keeps less, and little after a few', () => {
    const [few, many] = [3, 100].map((count) => keepOffset(habit(count, () => false)));
    assert.ok(few !== undefined && many !== undefined && few < 0 && few > -0.5 && many < few);
  });

  it('stay within bounds, and are forgotten in time', () => {
    const bad = habit(1000, () => false);
    assert.equal(keepOffset(bad), -MOST_OFFSET);
    const better = Array.from({ length: 1000 }).reduce<KeepHabit>(
      (each) => withOutcome(each, 0.5, true),
      bad,
    );
    assert.equal(keepOffset(better), MOST_OFFSET);
  });
});
