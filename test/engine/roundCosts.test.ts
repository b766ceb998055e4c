// What rounds cost, as far as it is known: guesses until something is measured, then measurements, which may be
// disturbed. Times are made up.
import assert from 'node:assert/strict';
import { RoundCosts } from '../../server/engine/roundCosts';

const ROWS = 16;

function curve(costs: RoundCosts): number[] {
  return Array.from({ length: ROWS }, (_, i) => costs.verify(i + 1));
}

function calibrated(cost: (rows: number) => number): RoundCosts {
  const costs = new RoundCosts(ROWS);
  costs.calibrate(new Map(Array.from({ length: ROWS }, (_, i) => [i + 1, cost(i + 1)])));
  return costs;
}

function assertNear(actual: number, expected: number, share: number): void {
  assert.ok(Math.abs(actual / expected - 1) <= share, `${String(actual)}, not ${String(expected)}`);
}

describe('round costs', () => {
  it('rise with the rows as long as nothing was measured', () => {
    const costs = new RoundCosts(ROWS);
    const guesses = curve(costs);
    assert.deepEqual(
      guesses,
      [...guesses].sort((a, b) => a - b),
    );
    assert.ok(costs.draft('dflash', 1) > 0 && costs.draft('dflash', 1) < costs.verify(1));
    assert.equal(costs.calibrated, false);
    assert.equal(costs.wantPlain, false);
  });

  it('scale the guesses by the first measurement but one', () => {
    const costs = new RoundCosts(ROWS);
    const before = curve(costs);
    costs.recordVerify(4, 50 * (before[3] ?? 0));
    assert.deepEqual(curve(costs), before, 'the first of all is left out');
    costs.recordVerify(4, 3 * (before[3] ?? 0));
    for (const [i, each] of curve(costs).entries()) assertNear(each, 3 * (before[i] ?? 0), 1e-9);
  });

  it('want plain decoding measured twice after some rounds by guesses, as the first time may be a cold one', () => {
    const costs = new RoundCosts(ROWS);
    for (const rows of [8, 8, 8, 2]) {
      assert.equal(costs.wantPlain, false);
      costs.recordVerify(rows, 100);
    }
    for (const milliseconds of [100, 20]) {
      assert.equal(costs.wantPlain, true);
      costs.recordVerify(1, milliseconds);
    }
    assert.equal(costs.wantPlain, false);
  });

  it('take the faster of the first two measurements of a width', () => {
    const costs = new RoundCosts(ROWS);
    costs.recordVerify(8, 1000);
    costs.recordVerify(1, 100);
    costs.recordVerify(1, 20);
    assert.equal(costs.verify(1), 20);
    assert.ok(costs.verify(16) < 100, 'the guesses follow');
  });

  it('find a steep curve from a few widths of it', () => {
    const real = (rows: number) => 10 + 10 * rows;
    const costs = new RoundCosts(ROWS);
    for (let run = 0; run < 60; run++) for (const rows of [1, 9]) costs.recordVerify(rows, real(rows));
    assertNear(costs.verify(1), real(1), 0.02);
    assertNear(costs.verify(9), real(9), 0.02);
    assertNear(costs.verify(5), real(5), 0.2);
  });

  it('take a calibration as it is and what lies between its widths from a line', () => {
    const costs = new RoundCosts(ROWS);
    costs.calibrate(
      new Map([
        [16, 50],
        [1, 20],
        [2, 30],
        [4, 32],
      ]),
    );
    assert.equal(costs.calibrated, true);
    assert.equal(costs.wantPlain, false);
    assert.deepEqual(curve(costs).slice(0, 4), [20, 30, 31, 32]);
    assertNear(costs.verify(10), 41, 1e-9);
    assert.equal(costs.verify(16), 50);
    assert.equal(costs.verify(40), 50, 'no more than the widest is ever asked for');
  });

  it('keep the steps of a curve', () => {
    const real = (rows: number) => 20 + 12 * Math.floor((rows - 1) / 4);
    const costs = calibrated(real);
    for (let run = 0; run < 20; run++)
      for (let rows = 1; rows <= ROWS; rows++) costs.recordVerify(rows, real(rows));
    for (const [i, each] of curve(costs).entries()) assertNear(each, real(i + 1), 0.001);
  });

  it('let one measurement move its own width a little and the others less', () => {
    for (const milliseconds of [24, 1000, 16, 0.1]) {
      const costs = calibrated(() => 20);
      costs.recordVerify(3, milliseconds);
      const [own, other] = [costs.verify(3) - 20, costs.verify(8) - 20];
      assert.ok(Math.sign(own) === Math.sign(milliseconds - 20) && Math.sign(other) === Math.sign(own));
      assert.ok(
        Math.abs(other) < Math.abs(own) && Math.abs(own) < 0.31 * 20,
        `${String(own)} and ${String(other)}`,
      );
      assert.ok(own < 0.1 * 20, 'a pause is no news');
    }
  });

  it('follow a machine that becomes slower or faster', () => {
    for (const factor of [2, 0.5]) {
      const costs = calibrated((rows) => 20 + rows);
      for (let run = 0; run < 40; run++) costs.recordVerify(2, factor * 22);
      assertNear(costs.verify(2), factor * 22, 0.02);
      assert.ok(Math.sign(costs.verify(9) - 29) === Math.sign(factor - 1));
    }
  });

  it('are not misled for long by one measurement that was disturbed', () => {
    const costs = new RoundCosts(ROWS);
    for (const milliseconds of [20, 20]) costs.recordVerify(1, milliseconds);
    costs.recordVerify(6, 500);
    assert.ok(costs.verify(6) <= 60 && costs.verify(16) <= 100);
    for (let run = 0; run < 12; run++) costs.recordVerify(6, 25);
    assertNear(costs.verify(6), 25, 0.05);
  });

  it('learn nothing from rounds that are wider than any they are for', () => {
    const costs = calibrated((rows) => 20 + rows);
    const before = curve(costs);
    costs.recordVerify(ROWS + 4, 200);
    assert.deepEqual(curve(costs), before);
  });

  it('take the first time of a draft as it is and move with the next ones', () => {
    const costs = calibrated(() => 20);
    costs.recordDraft('dflash', 1, 5);
    assert.equal(costs.draft('dflash', 1), 5);
    costs.recordDraft('dflash', 1, 50);
    assert.ok(costs.draft('dflash', 1) > 5 && costs.draft('dflash', 1) < 6);
    for (let run = 0; run < 60; run++) costs.recordDraft('dflash', 1, 8);
    assertNear(costs.draft('dflash', 1), 8, 0.01);
    assert.equal(costs.draft('other', 1), 8, 'a share of a plain step');
  });

  it('go on from a snapshot that was written down', () => {
    const costs = calibrated((rows) => 20 + rows);
    costs.recordDraft('dflash', 1, 5);
    costs.recordVerify(3, 40);
    const copy = new RoundCosts(
      ROWS,
      JSON.parse(JSON.stringify(costs.snapshot())) as ReturnType<typeof costs.snapshot>,
    );
    assert.equal(copy.calibrated, true);
    for (const each of [costs, copy]) {
      each.recordVerify(7, 11);
      each.recordDraft('dflash', 1, 6);
    }
    assert.deepEqual(copy.snapshot(), costs.snapshot());
  });

  it('take the proportions from a snapshot that was not calibrated, and measure anew', () => {
    const costs = new RoundCosts(ROWS);
    for (const [rows, milliseconds] of [
      [1, 10],
      [1, 10],
      [16, 15],
    ] as const)
      costs.recordVerify(rows, milliseconds);
    const copy = new RoundCosts(ROWS, costs.snapshot());
    for (const milliseconds of [500, 30]) copy.recordVerify(1, milliseconds);
    for (const [i, each] of curve(copy).entries()) assertNear(each, 3 * costs.verify(i + 1), 1e-9);
  });

  it('ignore a snapshot of fewer rows', () => {
    const narrow = new RoundCosts(8);
    narrow.calibrate(
      new Map([
        [1, 5],
        [8, 9],
      ]),
    );
    const costs = new RoundCosts(ROWS, narrow.snapshot());
    assert.equal(costs.calibrated, false);
    assert.deepEqual(curve(costs), curve(new RoundCosts(ROWS)));
    const wide = calibrated((rows) => rows);
    assert.deepEqual(curve(new RoundCosts(8, wide.snapshot())).slice(0, 8), [1, 2, 3, 4, 5, 6, 7, 8]);
  });
});
