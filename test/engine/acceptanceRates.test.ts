// What rounds teach about a drafter: only judged drafts count, estimates converge on what is true, and few or old
// observations move little. On synthetic draws.
import assert from 'node:assert/strict';
import { AcceptanceRates } from '../../server/engine/acceptanceRates';
import { seededRandom } from '../support/seededRandom';

const POSITIONS = 5;

/** Rounds of drafts that are right with the probability of their position and level. */
function draw(
  rates: AcceptanceRates,
  rounds: number,
  alpha: (position: number, level: number) => number,
  levels: readonly number[] = [4],
): void {
  const random = seededRandom(rounds);
  for (let round = 0; round < rounds; round++) {
    const drafted = Array.from(
      { length: POSITIONS },
      () => levels[Math.floor(random() * levels.length)] ?? 0,
    );
    const wrong = drafted.findIndex((level, position) => random() >= alpha(position, level));
    rates.record(drafted, wrong < 0 ? drafted.length : wrong);
  }
}

/** The estimates of the first positions, for one level or before anything is drafted. */
function estimates(rates: AcceptanceRates, level?: number): number[] {
  return Array.from({ length: POSITIONS }, (_, position) =>
    level === undefined ? rates.at(position) : rates.atLevel(position, level),
  );
}

function assertNear(actual: number | undefined, expected: number, tolerance: number): void {
  assert.ok(
    actual !== undefined && Math.abs(actual - expected) < tolerance,
    `${String(actual)}, not ${expected}`,
  );
}

/** Successes of so many trials of this rate are off by less than that, nearly always; old ones fade. */
const TOLERANCE = 0.16;

describe('acceptance rates', () => {
  it('count nothing after the first wrong draft', () => {
    const [one, other] = [new AcceptanceRates(), new AcceptanceRates()];
    one.record([4, 4, 4, 4], 1);
    other.record([4, 4], 1);
    assert.deepEqual(one.snapshot(), other.snapshot());
    const before = new AcceptanceRates().atLevel(3, 7);
    one.record([4, 4, 4, 7], 2);
    assert.equal(one.atLevel(3, 7), before);
  });

  it('count no failure when all drafts were right, and nothing when there was none', () => {
    const rates = new AcceptanceRates();
    rates.record([], 0);
    assert.deepEqual(rates.snapshot(), new AcceptanceRates().snapshot());
    rates.record([5, 5], 2);
    assert.deepEqual(rates.snapshot().pooled, [1.99, 1.99]);
  });

  for (const alpha of [0.05, 0.3, 0.6, 0.9, 0.98])
    it(`converge on a rate of ${String(alpha)}, whatever is hidden behind wrong drafts`, () => {
      const rates = new AcceptanceRates();
      draw(rates, 4000, () => alpha);
      const [first] = estimates(rates);
      assertNear(first, alpha, TOLERANCE);
      assertNear(rates.atLevel(0, 4), alpha, TOLERANCE);
      // Later positions are seldom judged when the first ones are wrong.
      if (alpha >= 0.6)
        for (const each of [...estimates(rates), ...estimates(rates, 4)]) assertNear(each, alpha, TOLERANCE);
    });

  it('tell positions apart', () => {
    const rates = new AcceptanceRates();
    const alphas = [0.95, 0.8, 0.9, 0.4, 0.7];
    draw(rates, 4000, (position) => alphas[position] ?? 0);
    for (const [position, each] of estimates(rates).entries())
      assertNear(each, alphas[position] ?? 0, TOLERANCE);
  });

  it('tell levels apart, and stretches of positions within a level', () => {
    const rates = new AcceptanceRates();
    draw(rates, 6000, (position, level) => (level === 7 ? 0.97 : position === 0 ? 0.3 : 0.8), [2, 7]);
    assertNear(rates.atLevel(0, 7), 0.97, TOLERANCE);
    assertNear(rates.atLevel(4, 7), 0.97, TOLERANCE);
    assertNear(rates.atLevel(0, 2), 0.3, TOLERANCE);
    assertNear(rates.atLevel(1, 2), 0.8, TOLERANCE);
    assert.equal(rates.atLevel(1, 2), rates.atLevel(2, 2), 'the second and third draft share their counts');
  });

  it('are guesses between 0 and 1 before anything was observed, higher for surer drafts', () => {
    const rates = new AcceptanceRates();
    const byLevel = Array.from({ length: 8 }, (_, level) => rates.atLevel(0, level));
    assert.deepEqual(
      byLevel,
      [...byLevel].sort((a, b) => a - b),
    );
    for (const each of [...byLevel, rates.at(0), rates.at(14)]) assert.ok(each > 0 && each < 1);
  });

  it('are moved little by few observations, and by each less than by the one before', () => {
    const rates = new AcceptanceRates();
    let [before, lastStep] = [rates.at(0), Infinity];
    for (let i = 0; i < 20; i++) {
      rates.record([4], 0);
      const step = before - rates.at(0);
      assert.ok(step > 0 && step < lastStep && step < before / 3);
      [before, lastStep] = [rates.at(0), step];
    }
  });

  it('expect of a position that was never judged what the others are like', () => {
    const rates = new AcceptanceRates();
    draw(rates, 500, () => 0.95);
    assertNear(rates.at(14), 0.95, TOLERANCE);
    assertNear(rates.atLevel(14, 4), 0.95, TOLERANCE);
  });

  it('forget: what is true now outweighs what was', () => {
    const rates = new AcceptanceRates();
    draw(rates, 5000, () => 0.95);
    draw(rates, 400, () => 0.1);
    assertNear(rates.at(0), 0.1, TOLERANCE);
    assertNear(rates.atLevel(0, 4), 0.1, TOLERANCE);
  });

  it('fall back to the guess when nothing was observed for long', () => {
    const [rates, fresh] = [new AcceptanceRates(), new AcceptanceRates()];
    draw(rates, 1000, () => 0.05);
    const known = rates.at(0);
    rates.age(1);
    assertNear(rates.at(0), known, 0.01);
    rates.age(10_000);
    assertNear(rates.at(0), fresh.at(0), 1e-6);
    assertNear(rates.atLevel(0, 4), fresh.atLevel(0, 4), 1e-6);
  });

  it('go on from a snapshot as if nothing had happened, also one that was written down', () => {
    const rates = new AcceptanceRates();
    // A level and a position that were never seen leave gaps.
    rates.record([7, 7, 2, 7, 7, 7, 7, 7, 7], 8);
    const copy = new AcceptanceRates(
      JSON.parse(JSON.stringify(rates.snapshot())) as ReturnType<typeof rates.snapshot>,
    );
    for (const each of [rates, copy]) draw(each, 30, () => 0.5);
    assert.deepEqual(copy.snapshot(), rates.snapshot());
    assert.deepEqual(estimates(copy), estimates(rates));
    assert.deepEqual(estimates(copy, 7), estimates(rates, 7));
  });

  it('leave a snapshot as it is when they learn on', () => {
    const rates = new AcceptanceRates();
    rates.record([4, 4], 2);
    const snapshot = rates.snapshot();
    const copy = JSON.stringify(snapshot);
    const other = new AcceptanceRates(snapshot);
    for (const each of [rates, other]) each.record([4, 4], 0);
    assert.equal(JSON.stringify(snapshot), copy);
  });
});
