// The adaptive policy in a simulated world: it finds what a search over all fixed choices finds, whatever the
// costs, and gets stuck nowhere. All times are the world's; nothing is measured.
import assert from 'node:assert/strict';
import { AdaptiveLength } from '../../server/engine/draftLength/adaptiveLength';
import { PairProfile } from '../../server/engine/draftLength/profile';
import { bestSpeed, DRAFT_MS, speedOf, type Costs } from '../support/draftSpeeds';
import { SimulatedPair, steady, type SimulatedDrafter, type SimulatedRound } from '../support/simulatedPair';

const linear =
  (each: number): Costs =>
  (rows) =>
    20 + each * (rows - 1);
/** 20 to 32 ms for 1 to 16 rows. */
const USUAL = linear(0.8);
const CURVES: Readonly<Record<string, Costs>> = {
  'rise slowly': USUAL,
  'rise so fast that most drafts do not pay': linear(10),
  'have steps of four rows': (rows) => 20 + 12 * Math.floor((rows - 1) / 4),
};
const ALPHAS = [0, 0.4, 0.6, 0.8, 1];

const dear = (drafts: SimulatedDrafter['drafts']): SimulatedDrafter => ({
  name: 'dear',
  draftMs: DRAFT_MS,
  drafts,
});
const free = (drafts: SimulatedDrafter['drafts']): SimulatedDrafter => ({ name: 'free', draftMs: 0, drafts });

function profileOf(costs: Costs): PairProfile {
  const verifyMs = Array.from({ length: 16 }, (_, i) => [i + 1, costs(i + 1)] as const);
  return new PairProfile({ verifyMs, draftMs: {}, rates: {} });
}

/** The rounds of the first `tokens` tokens. */
function upTo(tokens: number, rounds: readonly SimulatedRound[]): SimulatedRound[] {
  let given = 0;
  return rounds.filter((round) => (given += round.tokens) - round.tokens < tokens);
}

describe('adaptive draft lengths', () => {
  for (const [name, costs] of Object.entries(CURVES))
    it(`are nearly as fast as the best fixed one when the costs ${name}, which they also find out`, async () => {
      for (const alpha of ALPHAS) {
        const share = async (profile: PairProfile, firstTakes: number): Promise<number> => {
          const taking = (rows: number, round: number) => (round === 0 ? firstTakes : 1) * costs(rows);
          const pair = new SimulatedPair([dear(steady(alpha))], taking);
          const rounds = await pair.rounds(new AdaptiveLength(profile), 2500);
          return speedOf(rounds.slice(500)) / bestSpeed(alpha, costs);
        };
        const least = alpha <= 0.2 || alpha >= 0.8 ? 0.96 : 0.9;
        const known = await share(profileOf(costs), 1);
        assert.ok(known > least, `${known.toFixed(3)} of the best at a rate of ${String(alpha)}`);
        // Nothing known, and a first round that takes longer than all others.
        const found = await share(new PairProfile(), 5);
        assert.ok(found > 0.8, `${found.toFixed(3)} of the best at a rate of ${String(alpha)}`);
      }
    });

  it('leave behind a speed that can be compared with that of plain decoding, also of a machine that stumbles', async () => {
    const stumbling = (rows: number, round: number): number => (round % 4 === 3 ? 20 : 1) * USUAL(rows);
    const profile = profileOf(USUAL);
    const pair = new SimulatedPair([dear(steady(0.8))], stumbling);
    await pair.rounds(new AdaptiveLength(profile), 200);
    const { decoded, verifyMs } = profile.snapshot();
    const { tokens, ms } = decoded ?? assert.fail();
    const plainMs = verifyMs.find(([rows]) => rows === 1)?.[1] ?? NaN;
    const gain = (tokens / ms) * plainMs;
    const expected = bestSpeed(0.8, USUAL) * USUAL(1);
    assert.ok(
      Math.abs(gain / expected - 1) < 0.25,
      `${gain.toFixed(2)} of plain decoding for ${expected.toFixed(2)}`,
    );
  });

  it('ask for no more drafts than there is room for', async () => {
    const pair = new SimulatedPair([dear(steady(1)), free(steady(1))], USUAL);
    const policy = new AdaptiveLength(profileOf(USUAL));
    for (let round = 0; round < 200; round++) {
      const room = round % 17;
      const { drafted, asked } = await pair.round(policy, room);
      assert.ok(drafted <= Math.min(room, 15));
      if (room === 0) assert.deepEqual(asked, []);
    }
  });

  it('cost little when drafters are always wrong, however sure they are, and next to nothing later', async () => {
    for (const confidence of [0.1, 0.5, 0.8, 0.995]) {
      const wrong = steady(0, confidence);
      for (const [drafters, most] of [
        [[dear(wrong)], 1.06],
        [[dear(wrong), free(wrong)], 1.125],
      ] as const) {
        const pair = new SimulatedPair(drafters, USUAL);
        const rounds = await pair.rounds(new AdaptiveLength(profileOf(USUAL)), 1000);
        assert.ok(1 / USUAL(1) / speedOf(upTo(64, rounds)) < most, `confidence ${String(confidence)}`);
        assert.ok(1 / USUAL(1) / speedOf(rounds.slice(200)) < 1.01, `confidence ${String(confidence)}`);
      }
    }
  });

  for (const [name, drafter] of Object.entries({ 'that costs a pass': dear, 'that is free': free }))
    it(`come back to a drafter ${name} once it is right again`, async () => {
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

  it('do not ask again and again for drafts that are then not worth verifying', async () => {
    const costs = linear(4);
    const drafts: SimulatedDrafter['drafts'] = (round, count, random) =>
      Array.from({ length: count }, () => {
        const sure = round < 1000 && random() < 0.9;
        return { confidence: sure ? 0.995 : 0.1, right: random() < (sure ? 0.97 : 0.05) };
      });
    const pair = new SimulatedPair([dear(drafts)], costs);
    const late = (await pair.rounds(new AdaptiveLength(profileOf(costs)), 2500)).slice(1500);
    assert.ok(late.filter(({ asked }) => asked.length > 0).length < 30);
    assert.ok(speedOf(late) > 0.98 / costs(1));
  });

  it('go on with the dear drafter at once where a text stops to repeat itself', async () => {
    const repeats = (round: number) => round % 24 < 8;
    const found = free((round, count) =>
      repeats(round) ? Array.from({ length: count }, () => ({ confidence: 0.97, right: true })) : [],
    );
    const pair = new SimulatedPair([dear(steady(0.65)), found], USUAL);
    const rounds = (await pair.rounds(new AdaptiveLength(profileOf(USUAL)), 2424)).slice(24);
    const behind = rounds.filter((_, round) => round % 24 >= 8 && round % 24 < 14);
    const share = behind.filter(({ source }) => source === 'dear').length / behind.length;
    assert.ok(share > 0.8, `the dear one in ${share.toFixed(2)} of the rounds behind a repetition`);
    const others = rounds.filter((_, round) => !repeats(round));
    assert.ok(speedOf(others) > 0.9 * bestSpeed(0.65, USUAL));
  });

  it('ask for few drafts where more take longer and few are right', async () => {
    const costs = linear(2);
    const counts: number[] = [];
    const seldom: SimulatedDrafter['drafts'] = (round, count, random) => {
      if (round >= 500) counts.push(count);
      return steady(0.65)(round, count, random);
    };
    const narrow = { ...dear(seldom), minBlockSize: 2 };
    await new SimulatedPair([narrow], costs).rounds(new AdaptiveLength(profileOf(costs)), 1000);
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    assert.ok(
      counts.length > 250 && mean < 6,
      `${mean.toFixed(1)} drafts in ${String(counts.length)} rounds`,
    );
  });

  it('ask for fewer drafts where outputs end soon', async () => {
    const asked: number[] = [];
    const drafts: SimulatedDrafter['drafts'] = (round, count, random) => {
      if (round >= 200) asked.push(count);
      return steady(0.9)(round, count, random);
    };
    const mean = async (every: number): Promise<number> => {
      asked.length = 0;
      const pair = new SimulatedPair([dear(drafts)], USUAL);
      const policy = new AdaptiveLength(profileOf(USUAL));
      for (let round = 1; round <= 600; round++) await pair.round(policy, 15, round % every === 0);
      return asked.reduce((sum, count) => sum + count, 0) / asked.length;
    };
    const [inLong, inShort] = [await mean(Infinity), await mean(2)];
    assert.ok(inShort < 0.8 * inLong, `${inShort.toFixed(1)} for ${inLong.toFixed(1)}`);
  });

  it('verify the free drafts when the dear ones turn out to be unsure', async () => {
    const unsure: SimulatedDrafter['drafts'] = (_round, count, random) => {
      const sure = random() < 0.6;
      return Array.from({ length: count }, () => ({
        confidence: sure ? 0.995 : 0.1,
        right: random() < (sure ? 0.97 : 0.05),
      }));
    };
    const pair = new SimulatedPair([dear(unsure), free(steady(0.5, 0.7))], USUAL);
    const rounds = (await pair.rounds(new AdaptiveLength(profileOf(USUAL)), 1000)).slice(300);
    const asked = rounds.filter((round) => round.asked.includes('dear'));
    const sources = new Set(asked.map(({ source }) => source));
    assert.deepEqual([...sources].sort(), ['dear', 'free']);
  });

  it('verify more of a sure draft than of an unsure one', async () => {
    const costs = linear(3);
    const given: number[] = [];
    const drafts: SimulatedDrafter['drafts'] = (_round, count, random) => {
      const confidence = random() < 0.5 ? 0.995 : 0.3;
      given.push(confidence);
      return Array.from({ length: count }, () => ({
        confidence,
        right: random() < (confidence > 0.5 ? 0.97 : 0.3),
      }));
    };
    const pair = new SimulatedPair([free(drafts)], costs);
    const rounds = await pair.rounds(new AdaptiveLength(profileOf(costs)), 1000);
    const mean = (confidence: number) => {
      const mine = rounds.filter((_, i) => i > 300 && given[i] === confidence);
      return mine.reduce((sum, { drafted }) => sum + drafted, 0) / mine.length;
    };
    assert.ok(
      mean(0.995) > 8 && mean(0.3) < 3,
      `${mean(0.995).toFixed(1)} and ${mean(0.3).toFixed(1)} drafts`,
    );
  });

  it('find out that a profile from a busy machine is wrong', async () => {
    // As one was stored beside a test run that took all cores.
    const verifyMs = [17, 18, 18, 50, 54, 65, 62, 67, 56, 112, 120, 186, 117, 130, 143].map(
      (ms, i) => [i + 1, ms] as const,
    );
    const draftMs = { dear: [[2, 432] as const, [3, 8] as const, [4, 82] as const, [7, 473] as const] };
    for (const alpha of [0.6, 0.8, 0.95]) {
      const pair = new SimulatedPair([dear(steady(alpha))], USUAL);
      const policy = new AdaptiveLength(new PairProfile({ verifyMs, draftMs, rates: {} }));
      const rounds = await pair.rounds(policy, 1000);
      const share = speedOf(rounds.slice(500)) / bestSpeed(alpha, USUAL);
      assert.ok(share > 0.9, `${share.toFixed(3)} of the best at ${String(alpha)}`);
    }
  });

  it('need no experience of their own when the profile has it', async () => {
    const profile = profileOf(USUAL);
    const world = () => new SimulatedPair([dear(steady(0.95))], USUAL);
    await world().rounds(new AdaptiveLength(profile), 300);
    const next = new PairProfile(profile.snapshot());
    const rounds = await world().rounds(new AdaptiveLength(next), 40);
    assert.ok(rounds.every(({ drafted }) => drafted > 8));
  });
});
