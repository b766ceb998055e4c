// Tests the choice of drafters by draft length, or the reason for none, and the pair's profile, which outlives the
// process.
import assert from 'node:assert/strict';
import { NO_DRAFT } from '../../server/engine/decode/draft';
import { samplingOf, type SamplingOptions } from '../../server/engine/request/sampling';
import { Speculation } from '../../server/engine/draftLength/speculation';
import { PairProfile } from '../../server/engine/draftLength/profile';
import type { RowFacts } from '../../server/rules/rowCost';
import { OracleDrafter } from '../support/oracleDrafter';

function assertNear(actual: number, expected: number, tolerance = 1e-9): void {
  assert.ok(Math.abs(actual - expected) <= tolerance * expected, `${actual} is not near ${expected}`);
}

const oracle = () => new OracleDrafter({ tokens: [], block: 8, right: [7] });

describe('speculation', () => {
  it('switches speculation off, with the reason, for a text that can outgrow the positions of the drafter', () => {
    const speculation = new Speculation(Object.assign(oracle(), { maxPositions: 100 }));
    for (const draftLength of ['full', 'adaptive', 3] as const) {
      assert.equal(speculation.plan(draftLength, samplingOf(), 100).speculationOff, undefined);
      const { drafters, speculationOff } = speculation.plan(draftLength, samplingOf(), 101);
      assert.deepEqual(drafters, []);
      assert.equal(speculationOff, 'context_limit');
    }
  });

  it('has one policy per mode, all with one profile, which another instance can continue', () => {
    const speculation = new Speculation(oracle());
    const policyOf = (options: SamplingOptions) =>
      speculation.plan('adaptive', samplingOf(options), 40).policy;
    const policies = [{}, { temperature: 1 }, { temperature: 1, acceptance: 'rejection' as const }].map(
      policyOf,
    );
    assert.equal(new Set(policies).size, 3);
    assert.equal(policyOf({ acceptance: 'rejection' }), policies[0], 'greedy decoding has two policies');
    assert.equal(policyOf({ temperature: 0.3 }), policies[1]);
    const plain = { candidates: [], rows: 1, draft: NO_DRAFT, accepted: 0, tokens: [2], isLast: false };
    for (let round = 0; round < 3; round++) policies[0]?.observe({ ...plain, draftMs: 0, verifyMs: 20 });
    const snapshot = speculation.profile.snapshot();
    assert.deepEqual(snapshot.verifyMs, [[1, 20]]);
    assert.deepEqual(new Speculation(undefined, snapshot).profile.snapshot(), snapshot);
  });
});

describe('PairProfile', () => {
  it('continues from a snapshot that went through JSON', () => {
    const profile = new PairProfile();
    for (let run = 0; run < 2; run++) {
      profile.verify.record(1, 10);
      profile.draft('dflash').record(4, 6);
    }
    profile.verify.record(9, 30);
    profile.rates('dflash match').record([0.9, 0.1], 1);
    profile.recordRound(12, 40);
    profile.recordPrefill(256, 20);
    const snapshot = profile.snapshot();
    assert.deepEqual(snapshot.decoded, { tokens: 12, ms: 40 });
    assert.deepEqual(snapshot.read, { tokens: 256, ms: 20 });
    assert.deepEqual(snapshot.verifyMs, [[1, 10]], 'a cost measured once is in the snapshot');
    const copy = new PairProfile(JSON.parse(JSON.stringify(snapshot)) as typeof snapshot);
    assert.deepEqual(copy.snapshot(), snapshot);
    assert.equal(copy.draft('dflash').at(4), 6);
  });

  it('forgets the cost of a width that is no longer used, but not that of a plain step', () => {
    const profile = new PairProfile();
    for (const [rows, runs] of [
      [1, 2],
      [4, 2],
      [9, 300],
    ] as const)
      for (let run = 0; run < runs; run++) profile.verify.record(rows, 10 * rows);
    const { verifyMs } = profile.snapshot();
    assert.deepEqual(
      verifyMs.map(([rows]) => rows),
      [1, 9],
    );
  });

  it('guesses the cost of rows from the device and the bits of the weights until passes are measured', () => {
    /** Returns the costs of 2 to 33 rows as multiples of one row. */
    const multiples = (processor: RowFacts['processor'], bits: number, more: Partial<RowFacts> = {}) => {
      const { verify } = new PairProfile({}, { processor, bits, isMixture: false, ...more });
      return [2, 4, 5, 6, 16, 32, 33].map((rows) => (verify.at(rows) / verify.at(1)).toFixed(1));
    };
    assert.deepEqual(multiples('gpu', 4), ['1.8', '3.3', '4.0', '4.4', '4.4', '4.4', '8.9']);
    assert.deepEqual(multiples('gpu', 8), ['1.8', '3.3', '4.0', '2.4', '2.4', '2.4', '4.7']);
    assert.deepEqual(multiples('gpu', 16), ['1.9', '2.0', '2.0', '2.1', '2.5', '3.1', '3.1']);
    const mixture = { isMixture: true };
    assert.deepEqual(multiples('gpu', 4, mixture), ['1.6', '2.8', '3.4', '4.0', '10.0', '19.6', '20.2']);
    assert.deepEqual(multiples('cpu', 4), multiples('cpu', 16));
    // With small weights, starting the kernels takes the time.
    assert.deepEqual(multiples('gpu', 4, { isSmall: true }), multiples('cpu', 4));
    const measured = new PairProfile(
      { verifyMs: [[8, 12]] },
      { processor: 'gpu', bits: 4, isMixture: false },
    );
    for (const rows of [6, 8, 16, 32]) assertNear(measured.verify.at(rows), 12);
    assertNear(measured.verify.at(33), 24);
  });

  it('reports the recent prefill speed from long passes', () => {
    const profile = new PairProfile();
    profile.recordPrefill(63, 1);
    assert.equal(profile.prefillSpeed, undefined);
    const shortest = new PairProfile();
    shortest.recordPrefill(64, 1);
    assert.equal(shortest.prefillSpeed, 64);
    for (let pass = 0; pass < 100; pass++) profile.recordPrefill(256, 256);
    assertNear(profile.prefillSpeed ?? NaN, 1);
    for (let pass = 0; pass < 40; pass++) profile.recordPrefill(256, 128);
    assertNear(profile.prefillSpeed ?? NaN, 2, 0.05);
    assert.equal(new PairProfile(profile.snapshot()).prefillSpeed, profile.prefillSpeed);
  });
});
