// Runs the adaptive policy with the row costs of Metal kernels: those that the source of the addon's MLX implies, and
// published measurements of other releases. All times are simulated.
import assert from 'node:assert/strict';
import { AdaptiveLength } from '../../../server/engine/draftLength/adaptiveLength';
import { PairProfile } from '../../../server/engine/draftLength/profile';
import { passCost, type RowFacts } from '../../../server/rules/rowCost';
import { bestSpeed, DRAFT_MS, speedOf, type Costs } from '../../support/draftSpeeds';
import { fullSize } from '../../support/fullSize';
import { SimulatedPair, steady, type SimulatedRound } from '../../support/simulatedPair';

/** Time of a pass of one row. */
const PLAIN_MS = 20;
/** Probabilities that a draft is accepted. */
const ALPHAS = fullSize ? [0, 0.5, 0.7, 0.8, 0.9, 0.95] : [0, 0.7, 0.9];
const packed = (bits: number): RowFacts => ({ processor: 'gpu', bits, isMixture: false });
const [FOUR, EIGHT, DENSE] = [packed(4), packed(8), packed(16)];

/**
 * Returns costs that interpolate between published points, constant after the last one. They are scaled to PLAIN_MS for
 * one row, so the unit of the points does not matter.
 */
function published(...points: (readonly [rows: number, cost: number])[]): Costs {
  const [first = [1, 1], ...rest] = points;
  return (rows) => {
    let [low, high] = [first, first];
    for (const point of rest) {
      low = high;
      high = point;
      if (point[0] >= rows) break;
    }
    const part = Math.max(0, Math.min(1, (rows - low[0]) / Math.max(1, high[0] - low[0])));
    return (PLAIN_MS * (low[1] + part * (high[1] - low[1]))) / first[1];
  };
}

/** Returns the costs that the source implies: all rows of a tile cost the same. */
const step =
  (facts: RowFacts): Costs =>
  (rows) =>
    PLAIN_MS * passCost(facts, rows);

/** Costs on an M3 Max in 4 bits, with MLX 0.32. */
const M3_MAX = published(
  [1, 0.129],
  [2, 0.129],
  [4, 0.165],
  [6, 0.263],
  [8, 0.323],
  [9, 0.405],
  [10, 0.508],
  [32, 0.513],
);
/** Costs on an M3 Ultra in bfloat16, with MLX 0.31. */
const M3_ULTRA = published([1, 0.271], [2, 0.539], [7, 0.539], [16, 0.541]);

const CURVES: readonly (readonly [name: string, facts: RowFacts, costs: Costs])[] = [
  ['4 bits, as the source implies them', FOUR, step(FOUR)],
  ['8 bits, as the source implies them', EIGHT, step(EIGHT)],
  ['4 bits on an M3 Max with MLX 0.32 (mlx pull request 3863)', FOUR, M3_MAX],
  [
    '4 bits on an M3 Ultra with MLX 0.31 (mlx issue 4265)',
    FOUR,
    published([1, 0.041], [2, 0.076], [4, 0.134], [7, 0.218], [8, 0.252], [16, 0.26]),
  ],
  [
    '2 bits on an M4 Pro with MLX 0.32 (mlx issue 3852)',
    packed(2),
    published([1, 1], [2, 1.3], [3, 1.82], [4, 2.34], [5, 2.86], [8, 4.53], [10, 7.3], [32, 7.3]),
  ],
  [
    'a 70B model in 4 bits on an M5 Max with MLX 0.32 (mlx pull request 3791)',
    FOUR,
    published([1, 76.4], [3, 85], [5, 108.2], [8, 167.9], [12, 294.6]),
  ],
  ['bfloat16 on an M3 Ultra with MLX 0.31 (mlx issue 4265)', DENSE, M3_ULTRA],
];

/** Runs rounds with a drafter that is right with probability `alpha`, starting from an empty profile and `facts`. */
async function roundsOf(
  alpha: number,
  facts: RowFacts,
  costs: Costs,
  count: number,
): Promise<SimulatedRound[]> {
  const pair = new SimulatedPair([{ name: 'costly', draftMs: DRAFT_MS, drafts: steady(alpha) }], costs);
  return await pair.rounds(new AdaptiveLength(new PairProfile({}, facts)), count);
}

/** Counts the rounds before the speed stays near the best: until 64 rounds in a row reach 0.8 of it. */
function roundsUntilFast(rounds: readonly SimulatedRound[], best: number): number {
  for (let from = 0; from + 64 <= rounds.length; from++)
    if (speedOf(rounds.slice(from, from + 64)) > 0.8 * best) return from;
  return Infinity;
}

describe('adaptive drafting on Metal', () => {
  for (const [name, facts, costs] of CURVES)
    it(`nears the speed of the best fixed length with the costs of ${name}`, async () => {
      for (const alpha of ALPHAS) {
        const rounds = await roundsOf(alpha, facts, costs, 1500);
        const share = speedOf(rounds.slice(500)) / bestSpeed(alpha, costs);
        assert.ok(share > 0.85, `${share.toFixed(3)} of the best at a rate of ${String(alpha)}`);
      }
    });

  for (const [bits, facts, minAlpha] of [
    [4, FOUR, 0.9],
    [8, EIGHT, 0.7],
  ] as const)
    it(`avoids passes of 2 to 5 rows, the least efficient ones, with ${String(bits)}-bit weights`, async () => {
      for (const alpha of [0.3, 0.5, 0.7, 0.9, 0.95]) {
        const late = (await roundsOf(alpha, facts, step(facts), 1500)).slice(500);
        const share = (from: number, to: number) =>
          late.filter(({ drafted }) => drafted >= from && drafted <= to).length / late.length;
        assert.ok(share(1, 4) < 0.02, `${share(1, 4).toFixed(3)} short drafts at ${String(alpha)}`);
        const hasRightLengths = alpha < minAlpha ? share(0, 0) > 0.98 : share(15, 15) > 0.5;
        assert.ok(hasRightLengths, `long drafts at ${String(alpha)}`);
      }
    });

  it('starts without drafts with 8-bit weights, then measures passes of few rows and of a tile', async () => {
    const rounds = await roundsOf(0.9, EIGHT, step(EIGHT), 64);
    assert.deepEqual(
      rounds.slice(0, 24).map(({ drafted }) => drafted),
      [...Array<number>(16).fill(0), 3, 3, ...Array<number>(6).fill(15)],
    );
  });

  it('recovers from a wrong cost guess within 64 rounds', async () => {
    const cheapTile = published([1, 1], [2, 1.3], [6, 1.8], [32, 2]);
    const flat = published([1, 1], [16, 1.3]);
    for (const [name, guess, costs, alpha] of [
      ['a tile that costs half as much', FOUR, cheapTile, 0.7],
      ['rows that cost next to nothing', FOUR, flat, 0.7],
      ['few rows that cost next to nothing', FOUR, M3_MAX, 0.8],
      ['a tile where a slope was expected', DENSE, step(EIGHT), 0.9],
      ['a slope where a tile was expected', EIGHT, step({ ...EIGHT, processor: 'cpu' }), 0.9],
      ['two rows that cost two steps', { ...DENSE, processor: 'cpu' }, M3_ULTRA, 0.9],
    ] as const) {
      const rounds = await roundsOf(alpha, guess, costs, 400);
      const slowRounds = roundsUntilFast(rounds, bestSpeed(alpha, costs));
      assert.ok(slowRounds <= 64, `${name}: ${String(slowRounds)} rounds`);
    }
  });

  it('limits a trial to a tile and a drafter pass, and makes trials of a useless drafter rare', async () => {
    for (const facts of [FOUR, EIGHT, DENSE]) {
      const rounds = await roundsOf(0, facts, step(facts), 1000);
      const longest = Math.max(...rounds.map(({ milliseconds }) => milliseconds));
      const pass = Math.max(passCost(facts, 4), passCost(facts, 16));
      assert.ok(longest <= PLAIN_MS * pass + DRAFT_MS + 1e-6);
      const trials = rounds.flatMap(({ requested }, round) => (requested.length > 0 ? [round] : []));
      assert.deepEqual(trials.slice(0, 6), [16, 49, 114, 243, 500, 757]);
      const lost = 1 - speedOf(rounds.slice(0, 64)) * PLAIN_MS;
      assert.ok(lost < 0.12, `${lost.toFixed(3)} of 64 tokens`);
    }
  });

  it('updates the costs of all rows of a tile, and hardly those of other tiles, from one measurement', () => {
    const { verify } = new PairProfile({}, FOUR);
    verify.record(1, PLAIN_MS);
    const before = verify.at(3);
    verify.record(12, 2 * PLAIN_MS);
    for (const rows of [6, 7, 16, 31, 32])
      assert.ok(Math.abs(verify.at(rows) - 2 * PLAIN_MS) < 1e-9, String(rows));
    assert.ok(verify.at(3) > 0.75 * before && verify.at(3) < before, 'cost of three rows');
    assert.equal(verify.at(1), PLAIN_MS);
  });
});
