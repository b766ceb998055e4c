// What is learned of a pair: what passes take, by rows, and how often drafts are right. On numbers written by hand.
import assert from 'node:assert/strict';
import { CostTable } from '../../server/engine/draftLength/costTable';
import { AcceptanceRates, PairProfile } from '../../server/engine/pairProfile';

const guess = (rows: number): number => 10 + rows;

function recorded(measurements: readonly (readonly [rows: number, ms: number])[]): CostTable {
  const table = new CostTable(guess);
  for (const [rows, ms] of measurements) table.record(rows, ms);
  return table;
}

function assertNear(actual: number, expected: number, tolerance = 1e-9): void {
  assert.ok(Math.abs(actual - expected) <= tolerance * expected, `${actual} is not near ${expected}`);
}

describe('a table of costs', () => {
  it('guesses before anything was measured, and in proportion to what was', () => {
    assert.equal(recorded([]).at(4), 14);
    const one = recorded([[4, 28]]);
    for (const rows of [1, 4, 16]) assertNear(one.at(rows), 2 * guess(rows));
    const two = new CostTable(guess, [
      [2, 12],
      [6, 32],
    ]);
    assertNear(two.at(4), 1.5 * guess(4));
    assertNear(two.at(9), 2 * guess(9));
  });

  it('keeps a width that takes less than a narrower one', () => {
    const table = new CostTable(guess, [
      [1, 13],
      [2, 11],
    ]);
    assert.ok(table.at(2) < table.at(1));
  });

  it('trusts a width once it was measured twice, and then the faster one: the first may have been cold', () => {
    const table = recorded([
      [1, 50],
      [1, 20],
    ]);
    assert.equal(table.isKnown(1), true);
    assert.equal(table.at(1), 20);
    assert.equal(recorded([[1, 20]]).isKnown(1), false);
  });

  it('moves with a machine that changes, all widths of it, but not far for a single stall', () => {
    const table = new CostTable(guess, [
      [1, 10],
      [8, 20],
    ]);
    table.record(8, 2000);
    assert.ok(table.at(8) > 20 && table.at(8) < 22 && table.at(1) > 10 && table.at(1) < 11);
    for (let run = 0; run < 100; run++) table.record(8, 60);
    assertNear(table.at(8), 60, 0.01);
    assert.ok(table.at(1) > 12);
    for (let run = 0; run < 100; run++) table.record(8, 20);
    assertNear(table.at(8), 20, 0.01);
  });

  it('keeps no width too dear that was only used while the machine was slow', () => {
    const table = recorded([
      [8, 40],
      [8, 40],
      [1, 20],
      [1, 20],
    ]);
    for (let run = 0; run < 100; run++) table.record(1, 10);
    assertNear(table.at(1), 10, 0.01);
    assert.ok(table.at(8) < 22);
  });

  it('does not believe a first measurement that is far from what the others say', () => {
    const table = new CostTable(guess, [[1, 11]]);
    table.record(2, 1000);
    assertNear(table.at(2), 2 * guess(2));
  });
});

describe('rates of acceptance', () => {
  const learned = (rounds: number, confidence: readonly number[], accepted: number): AcceptanceRates => {
    const rates = new AcceptanceRates();
    for (let round = 0; round < rounds; round++) rates.record(confidence, accepted);
    return rates;
  };

  it('are guesses at first, higher for who is surer', () => {
    const rates = new AcceptanceRates();
    assert.equal(rates.at(0), rates.at(9));
    const guesses = [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.97, 1].map((each) => rates.atConfidence(each));
    for (const [i, each] of guesses.entries()) assert.ok(each > (guesses[i - 1] ?? 0) && each < 1);
  });

  it('learn from all drafts up to the first wrong one, and nothing of those behind it', () => {
    const rates = learned(200, [0.9, 0.5, 0.1], 1);
    assert.ok(rates.at(0) > 0.95 && rates.at(1) < 0.1);
    assert.ok(rates.atConfidence(0.9) > 0.95 && rates.atConfidence(0.5) < 0.1);
    assert.equal(rates.atConfidence(0.1), new AcceptanceRates().atConfidence(0.1));
    assertNear(rates.at(2), 0.5, 0.1);
  });

  it('change with the text, and count less the longer nothing was observed', () => {
    const rates = learned(200, [0.9], 1);
    for (let round = 0; round < 200; round++) rates.record([0.9], 0);
    assert.ok(rates.at(0) < 0.2);
    const [aged, fresh] = [learned(50, [0.9], 0), learned(50, [0.9], 0)];
    aged.age(1000);
    aged.record([0.9], 1);
    fresh.record([0.9], 1);
    assert.ok(aged.at(0) > 2 * fresh.at(0));
  });
});

describe('a profile', () => {
  it('goes on from a snapshot that was written down', () => {
    const profile = new PairProfile();
    for (let run = 0; run < 2; run++) {
      profile.verify.record(1, 10);
      profile.draft('dflash').record(4, 6);
    }
    profile.verify.record(9, 30);
    profile.rates('dflash match').record([0.9, 0.1], 1);
    const snapshot = profile.snapshot();
    assert.deepEqual(snapshot.verifyMs, [[1, 10]], 'what was measured once is not trusted');
    const copy = new PairProfile(JSON.parse(JSON.stringify(snapshot)) as typeof snapshot);
    assert.deepEqual(copy.snapshot(), snapshot);
    assert.equal(copy.draft('dflash').at(4), 6);
  });

  it('counts tokens and the time of their rounds, older ones for less', () => {
    const profile = new PairProfile();
    for (let round = 0; round < 20_000; round++) profile.recordRound(1, 10);
    for (let round = 0; round < 20_000; round++) profile.recordRound(3, 10);
    const { tokens, ms } = profile.snapshot().decoded ?? assert.fail();
    assertNear(tokens / ms, 0.3, 0.01);
    const copy = new PairProfile(profile.snapshot());
    copy.recordRound(0, 0);
    assertNear(copy.snapshot().decoded?.ms ?? NaN, ms, 0.01);
  });

  it('knows how fast prompts are read lately, by long passes', () => {
    const profile = new PairProfile();
    profile.recordPrefill(8, 1);
    assert.equal(profile.prefillSpeed, undefined);
    for (let pass = 0; pass < 100; pass++) profile.recordPrefill(256, 256);
    assertNear(profile.prefillSpeed ?? NaN, 1);
    for (let pass = 0; pass < 40; pass++) profile.recordPrefill(256, 128);
    assertNear(profile.prefillSpeed ?? NaN, 2, 0.05);
    assert.equal(new PairProfile(profile.snapshot()).prefillSpeed, profile.prefillSpeed);
  });

  it('takes a draft for a part of what verifying as many rows takes, until it was measured', () => {
    const profile = new PairProfile();
    for (const ms of [100, 100]) profile.verify.record(1, ms);
    assertNear(profile.draft('dflash').at(1), 40);
    assert.notEqual(profile.rates('dflash'), profile.rates('dflash match'));
  });
});
