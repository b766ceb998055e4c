// Runs the adaptive policy against simulated costs and drafters, and compares its speed with the best fixed draft
// length. All times are simulated, so no test depends on the speed of the machine.
import assert from 'node:assert/strict';
import { AdaptiveLength } from '../../../server/engine/draftLength/adaptiveLength';
import { PairProfile } from '../../../server/engine/draftLength/profile';
import { bestSpeed, DRAFT_MS, speedOf, type Costs } from '../../support/draftSpeeds';
import { fullSize } from '../../support/fullSize';
import { roundStart } from '../../support/roundStart';
import {
  SimulatedPair,
  steady,
  type SimulatedDrafter,
  type SimulatedRound,
} from '../../support/simulatedPair';

/** Returns costs of 20 ms for one row and `perRow` ms for each further one. */
const linear =
  (perRow: number): Costs =>
  (rows) =>
    20 + perRow * (rows - 1);
/** 20 to 32 ms for 1 to 16 rows. */
const USUAL = linear(0.8);
const CURVES: Readonly<Record<string, Costs>> = {
  'rise slowly': USUAL,
  'rise so fast that most drafts do not pay': linear(10),
  'have steps of four rows': (rows) => 20 + 12 * Math.floor((rows - 1) / 4),
};
/** Probabilities that a draft is accepted. */
const ALPHAS = fullSize ? [0, 0.4, 0.6, 0.8, 1] : [0, 0.6, 1];

/** Returns a drafter whose proposals cost a pass, as DFlash's do. */
const costly = (drafts: SimulatedDrafter['drafts']): SimulatedDrafter => ({
  name: 'costly',
  draftMs: DRAFT_MS,
  drafts,
});
/** Returns a drafter whose proposals cost nothing, as look-ups do. */
const free = (drafts: SimulatedDrafter['drafts']): SimulatedDrafter => ({ name: 'free', draftMs: 0, drafts });

function profileOf(costs: Costs): PairProfile {
  const verifyMs = Array.from({ length: 16 }, (_, i) => [i + 1, costs(i + 1)] as const);
  return new PairProfile({ verifyMs, draftMs: {}, rates: {} });
}

/** Returns the rounds of the first `tokens` tokens. */
function firstRounds(tokens: number, rounds: readonly SimulatedRound[]): SimulatedRound[] {
  const first: SimulatedRound[] = [];
  let emitted = 0;
  for (const round of rounds) {
    if (emitted >= tokens) break;
    first.push(round);
    emitted += round.tokens;
  }
  return first;
}

describe('adaptive drafting', () => {
  for (const [name, costs] of Object.entries(CURVES))
    it(`nears the speed of the best fixed length where costs ${name}, measured or not`, async () => {
      for (const alpha of ALPHAS) {
        const shareOfBest = async (profile: PairProfile, firstRoundFactor: number): Promise<number> => {
          const roundCosts = (rows: number, round: number) =>
            (round === 0 ? firstRoundFactor : 1) * costs(rows);
          const pair = new SimulatedPair([costly(steady(alpha))], roundCosts);
          const rounds = await pair.rounds(new AdaptiveLength(profile), 2500);
          return speedOf(rounds.slice(500)) / bestSpeed(alpha, costs);
        };
        const threshold = alpha <= 0.2 || alpha >= 0.8 ? 0.96 : 0.9;
        const measured = await shareOfBest(profileOf(costs), 1);
        assert.ok(measured > threshold, `${measured.toFixed(3)} of the best at a rate of ${String(alpha)}`);
        // Starts with an empty profile, and the first round takes longer than all others.
        const unmeasured = await shareOfBest(new PairProfile(), 5);
        assert.ok(unmeasured > 0.8, `${unmeasured.toFixed(3)} of the best at a rate of ${String(alpha)}`);
      }
    });

  it('records a decode speed that short stalls of the machine do not distort', async () => {
    const stallingCosts = (rows: number, round: number): number => (round % 4 === 3 ? 20 : 1) * USUAL(rows);
    const profile = profileOf(USUAL);
    const pair = new SimulatedPair([costly(steady(0.8))], stallingCosts);
    await pair.rounds(new AdaptiveLength(profile), 200);
    const { decoded, verifyMs } = profile.snapshot();
    const { tokens, ms } = decoded;
    const plainMs = verifyMs.find(([rows]) => rows === 1)?.[1] ?? NaN;
    const gain = (tokens / ms) * plainMs;
    const expected = bestSpeed(0.8, USUAL) * USUAL(1);
    assert.ok(
      Math.abs(gain / expected - 1) < 0.25,
      `${gain.toFixed(2)} of plain decoding for ${expected.toFixed(2)}`,
    );
  });

  it('requests no more drafts than the output has room for', async () => {
    let room = 0;
    const drafts: SimulatedDrafter['drafts'] = (round, count, random) => {
      assert.ok(count <= room, `${String(count)} drafts requested for ${String(room)}`);
      return steady(1)(round, count, random);
    };
    const pair = new SimulatedPair([costly(drafts), free(drafts)], USUAL);
    const policy = new AdaptiveLength(profileOf(USUAL));
    for (let round = 0; round < 200; round++) {
      room = round % 17;
      const { drafted, requested } = await pair.round(policy, room);
      assert.ok(drafted <= Math.min(room, 15));
      if (room === 0) assert.deepEqual(requested, []);
    }
  });

  it('soon loses almost no speed with a drafter that is always wrong, however confident', async () => {
    for (const confidence of [0.1, 0.5, 0.8, 0.995]) {
      const wrong = steady(0, confidence);
      for (const [drafters, maxLoss] of [
        [[costly(wrong)], 1.06],
        [[costly(wrong), free(wrong)], 1.125],
      ] as const) {
        const pair = new SimulatedPair(drafters, USUAL);
        const rounds = await pair.rounds(new AdaptiveLength(profileOf(USUAL)), 1000);
        const early = firstRounds(64, rounds);
        assert.ok(1 / USUAL(1) / speedOf(early) < maxLoss, `confidence ${String(confidence)}`);
        assert.ok(1 / USUAL(1) / speedOf(rounds.slice(200)) < 1.01, `confidence ${String(confidence)}`);
      }
    }
  });

  for (const [name, drafter] of Object.entries({ 'that costs a pass': costly, 'that is free': free }))
    it(`returns to a drafter ${name} once its drafts are accepted again`, async () => {
      for (const wrongUntil of [100, 1000]) {
        const alpha = (round: number) => (round < wrongUntil ? 0 : 0.85);
        const costs = linear(1.5);
        const pair = new SimulatedPair([drafter(steady(alpha))], costs);
        const rounds = await pair.rounds(new AdaptiveLength(profileOf(costs)), wrongUntil + 900);
        assert.ok(rounds.slice(wrongUntil - 20, wrongUntil).filter(({ source }) => source).length < 3);
        const best = bestSpeed(0.85, costs, drafter(steady(0)).draftMs);
        assert.ok(speedOf(rounds.slice(wrongUntil + 500)) > 0.9 * best);
      }
    });

  it('stops requesting drafts that are not worth verifying', async () => {
    const costs = linear(4);
    const drafts: SimulatedDrafter['drafts'] = (round, count, random) =>
      Array.from({ length: count }, () => {
        const isSure = round < 1000 && random() < 0.9;
        return { confidence: isSure ? 0.995 : 0.1, right: random() < (isSure ? 0.97 : 0.05) };
      });
    const pair = new SimulatedPair([costly(drafts)], costs);
    const late = (await pair.rounds(new AdaptiveLength(profileOf(costs)), 2500)).slice(1500);
    assert.ok(late.filter(({ requested }) => requested.length > 0).length < 30);
    assert.ok(speedOf(late) > 0.98 / costs(1));
  });

  it('uses the costly drafter again as soon as the text no longer repeats itself', async () => {
    const repeats = (round: number) => round % 24 < 8;
    const lookUp = free((round, count) =>
      repeats(round) ? Array.from({ length: count }, () => ({ confidence: 0.97, right: true })) : [],
    );
    const pair = new SimulatedPair([costly(steady(0.65)), lookUp], USUAL);
    const rounds = (await pair.rounds(new AdaptiveLength(profileOf(USUAL)), 2424)).slice(24);
    const following = rounds.filter((_, round) => round % 24 >= 8 && round % 24 < 14);
    const share = following.filter(({ source }) => source === 'costly').length / following.length;
    assert.ok(share > 0.8, `the costly drafter in ${share.toFixed(2)} of the rounds after a repetition`);
    const notRepeating = rounds.filter((_, round) => !repeats(round));
    assert.ok(speedOf(notRepeating) > 0.9 * bestSpeed(0.65, USUAL));
  });

  it('requests few drafts where rows are costly and few drafts are accepted', async () => {
    const costs = linear(2);
    const counts: number[] = [];
    const drafts: SimulatedDrafter['drafts'] = (round, count, random) => {
      if (round >= 500) counts.push(count);
      return steady(0.65)(round, count, random);
    };
    const narrow = { ...costly(drafts), minBlockSize: 2 };
    await new SimulatedPair([narrow], costs).rounds(new AdaptiveLength(profileOf(costs)), 1000);
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    assert.ok(
      counts.length > 250 && mean < 6,
      `${mean.toFixed(1)} drafts in ${String(counts.length)} rounds`,
    );
  });

  it('requests fewer drafts where outputs end early', async () => {
    const requested: number[] = [];
    const drafts: SimulatedDrafter['drafts'] = (round, count, random) => {
      if (round >= 200) requested.push(count);
      return steady(0.9)(round, count, random);
    };
    const mean = async (every: number): Promise<number> => {
      requested.length = 0;
      const pair = new SimulatedPair([costly(drafts)], USUAL);
      const policy = new AdaptiveLength(profileOf(USUAL));
      for (let round = 1; round <= 600; round++) await pair.round(policy, 15, round % every === 0);
      return requested.reduce((sum, count) => sum + count, 0) / requested.length;
    };
    const [inLong, inShort] = [await mean(Infinity), await mean(2)];
    assert.ok(inShort < 0.8 * inLong, `${inShort.toFixed(1)} for ${inLong.toFixed(1)}`);
  });

  it('verifies looked-up drafts where those of the costly drafter have low confidence', async () => {
    const unsure: SimulatedDrafter['drafts'] = (_round, count, random) => {
      const isSure = random() < 0.6;
      return Array.from({ length: count }, () => ({
        confidence: isSure ? 0.995 : 0.1,
        right: random() < (isSure ? 0.97 : 0.05),
      }));
    };
    const pair = new SimulatedPair([costly(unsure), free(steady(0.5, 0.7))], USUAL);
    const rounds = (await pair.rounds(new AdaptiveLength(profileOf(USUAL)), 1000)).slice(300);
    const requested = rounds.filter((round) => round.requested.includes('costly'));
    const sources = new Set(requested.map(({ source }) => source));
    assert.deepEqual([...sources].sort(), ['costly', 'free']);
  });

  it('verifies more of a confident draft than of an unsure one', async () => {
    const costs = linear(3);
    const confidences: number[] = [];
    const drafts: SimulatedDrafter['drafts'] = (_round, count, random) => {
      const confidence = random() < 0.5 ? 0.995 : 0.3;
      confidences.push(confidence);
      return Array.from({ length: count }, () => ({
        confidence,
        right: random() < (confidence > 0.5 ? 0.97 : 0.3),
      }));
    };
    const pair = new SimulatedPair([free(drafts)], costs);
    const rounds = await pair.rounds(new AdaptiveLength(profileOf(costs)), 1000);
    const mean = (confidence: number) => {
      const ofConfidence = rounds.filter((_, i) => i > 300 && confidences[i] === confidence);
      return ofConfidence.reduce((sum, { drafted }) => sum + drafted, 0) / ofConfidence.length;
    };
    assert.ok(
      mean(0.995) > 8 && mean(0.3) < 3,
      `${mean(0.995).toFixed(1)} and ${mean(0.3).toFixed(1)} drafts`,
    );
  });

  it('corrects a stored profile that was measured on a busy machine', async () => {
    // A real profile, stored while a test run used all cores.
    const verifyMs = [17, 18, 18, 50, 54, 65, 62, 67, 56, 112, 120, 186, 117, 130, 143].map(
      (ms, i) => [i + 1, ms] as const,
    );
    const draftMs = { costly: [[2, 432] as const, [3, 8] as const, [4, 82] as const, [7, 473] as const] };
    for (const alpha of [0.6, 0.8, 0.95]) {
      const pair = new SimulatedPair([costly(steady(alpha))], USUAL);
      const policy = new AdaptiveLength(new PairProfile({ verifyMs, draftMs, rates: {} }));
      const rounds = await pair.rounds(policy, 1000);
      const share = speedOf(rounds.slice(500)) / bestSpeed(alpha, USUAL);
      assert.ok(share > 0.9, `${share.toFixed(3)} of the best at ${String(alpha)}`);
    }
  });

  it('does not count the time in which a drafter reads the prompt as the cost of its drafts', async () => {
    const profile = profileOf(USUAL);
    const policy = new AdaptiveLength(profile);
    const { memory } = new SimulatedPair([costly(steady(1))], USUAL);
    const guess = profile.draft('costly').at(16);
    for (const [position, isCounted] of [
      [1, false],
      [2, true],
    ] as const) {
      const { draft, candidates } = await policy.draft(roundStart(memory, [1], position), 15);
      const rows = draft.tokens.length + 1;
      const tokens = [...draft.tokens, 1];
      const round = { candidates, rows, draft, tokens, accepted: rows - 1, isLast: false };
      policy.observe({ ...round, draftMs: 100 * guess, verifyMs: USUAL(rows) });
      const cost = profile.draft('costly').at(16);
      assert.equal(cost > 2 * guess, isCounted, `${cost.toFixed(0)} ms after token ${String(position)}`);
    }
  });

  it('makes long drafts from the first round with a stored profile', async () => {
    const profile = profileOf(USUAL);
    const newPair = () => new SimulatedPair([costly(steady(0.95))], USUAL);
    await newPair().rounds(new AdaptiveLength(profile), 300);
    const next = new PairProfile(profile.snapshot());
    const rounds = await newPair().rounds(new AdaptiveLength(next), 40);
    assert.ok(rounds.every(({ drafted }) => drafted > 8));
  });
});
