// What is learned of a pair goes from process to process, and says how fast prompts are read.
import assert from 'node:assert/strict';
import { PairProfile } from '../../server/engine/pairProfile';
import { rowCost, type RowFacts } from '../../server/rules/rowCost';

function assertNear(actual: number, expected: number, tolerance = 1e-9): void {
  assert.ok(Math.abs(actual - expected) <= tolerance * expected, `${actual} is not near ${expected}`);
}

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

  it('expects of rows what is published of such weights, until their passes are measured', () => {
    const times = (...facts: [RowFacts['processor'], number, boolean?]) => {
      const [processor, bits, isMixture = false] = facts;
      const { verify } = new PairProfile({}, rowCost({ processor, bits, isMixture }));
      return [2, 4, 8, 16].map((rows) => (verify.at(rows) / verify.at(1)).toFixed(1));
    };
    assert.deepEqual(times('gpu', 4), ['1.3', '1.9', '3.1', '5.5']);
    assert.deepEqual(times('gpu', 8), ['1.2', '1.6', '2.4', '4.0']);
    assert.deepEqual(times('gpu', 16), ['1.1', '1.3', '1.7', '2.5']);
    assert.deepEqual(times('gpu', 4, true), ['1.6', '2.8', '5.2', '10.0']);
    assert.deepEqual(times('cpu', 4), times('cpu', 16));
    assert.equal(new PairProfile({ verifyMs: [[8, 12]] }, 0.3).verify.at(8), 12);
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
});
