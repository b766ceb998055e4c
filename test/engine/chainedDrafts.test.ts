// Drafts of which each depends on the ones before it, such as those of DSpark: drawn texts come as often as without them,
// however the number of those that are verified is chosen, as long as no choice knows what was drawn (G.3).
import assert from 'node:assert/strict';
import { draftWith, shortened } from '../../server/engine/draft';
import { AdaptiveLength, fixedLength, type DraftPolicy } from '../../server/engine/draftLength';
import { PairProfile } from '../../server/engine/pairProfile';
import { PromptCache } from '../../server/engine/promptCache';
import { samplerOf } from '../../server/engine/sampling/samplerOf';
import { samplingOf, type SamplingOptions } from '../../server/engine/sampling/sampling';
import { newSession, type Wish } from '../support/checkedDecode';
import { chiSquareOf } from '../support/chiSquare';
import { fullSize } from '../support/fullSize';
import { logitTable } from '../support/logitTable';
import { plainTexts } from '../support/plainChain';
import { SAMPLINGS } from '../support/samplings';
import { chainedTableDrafter, TableTarget } from '../support/tableTarget';

const VOCABULARY = 5;
const DRAWS = fullSize ? 6000 : 1000;
const LENGTH = 3;
const SEED = 4_000_000;
const LEAST = 0.01;
const SURE_NO = 1e-6;

const table = logitTable(7, VOCABULARY);
const target = new TableTarget(table);
const drafter = chainedTableDrafter(logitTable(8, VOCABULARY), 4);
const promptIds = [2, 4, 1];

/** How well the counts of drawn texts agree with plain sampling. */
async function agreement(
  options: SamplingOptions,
  how: () => Partial<Wish>,
  drafted = new Set<number>(),
): Promise<number> {
  const promptCache = new PromptCache(target, 0);
  const places: number[] = [];
  for (let seed = SEED; seed < SEED + DRAWS; seed++) {
    const sampler = samplerOf(samplingOf({ acceptance: 'rejection', ...options, seed }));
    const wish = { promptIds, maxTokens: LENGTH + 2, sampler, ...how() };
    const session = newSession({ target, drafter }, wish, promptCache);
    for await (const { round } of session) if (round) drafted.add(round.drafted);
    const text = session.result.tokenIds.slice(0, LENGTH);
    places.push(text.reduce((place, token) => place * VOCABULARY + token, 0));
  }
  return chiSquareOf(places, plainTexts(table.after, promptIds, LENGTH, samplingOf(options)));
}

/** A new policy that has been told that verifying pays where the drafter is rather sure, and else not. */
function adaptive(): DraftPolicy {
  const verifyMs = [1, 2, 3, 4, 5].map((rows) => [rows, 10 + 2 * (rows - 1)] as const);
  const byPosition = Array<readonly [number, number]>(4).fill([1000, 500]);
  const byConfidence = [0, 50, 150, 700, 900, 950, 990, 1000].map((right) => [1000, right] as const);
  const rates = { 'table rejection': { byPosition, byConfidence } };
  const draftMs = { table: [[5, 0.1]] as const };
  return new AdaptiveLength(new PairProfile({ verifyMs, draftMs, rates }), 'rejection');
}

/** What a policy must not do: it goes by how sure the drafter is behind what was drawn. */
const anticipating: DraftPolicy = {
  draft: async (start, room) => {
    const draft = await draftWith(start, 0, Math.min(4, room));
    const end = draft.confidence.findIndex((_, i) => (draft.confidence[i + 1] ?? 1) < 0.45);
    return end < 0 ? draft : shortened(draft, end);
  },
  observe: () => undefined,
};

describe('drafts that depend on each other', () => {
  const names = ['temperature 1', 'top-p', 'everything at once'] as const;
  for (const name of names)
    it(`leave texts as often as in plain sampling, with ${name}`, async () => {
      const p = await agreement(SAMPLINGS[name] ?? {}, () => ({}));
      assert.ok(p > LEAST, `p = ${String(p)}`);
    });

  it('leave texts as often where only those are verified that the drafter is sure of', async () => {
    for (const confidenceThreshold of [0.35, 0.5]) {
      const p = await agreement({ temperature: 1 }, () => ({ confidenceThreshold }));
      assert.ok(p > LEAST, `p = ${String(p)} for ${String(confidenceThreshold)}`);
    }
  });

  it('leave texts as often where as many are verified as pay', async () => {
    const drafted = new Set<number>();
    const p = await agreement({ temperature: 1 }, () => ({ policy: adaptive() }), drafted);
    assert.ok(p > LEAST, `p = ${String(p)}`);
    assert.ok(drafted.size > 2, `rounds of ${[...drafted].join()} drafts`);
  });

  it('would not, if a draft were dropped for what comes behind it', async () => {
    const p = await agreement({ temperature: 1 }, () => ({ policy: anticipating }));
    assert.ok(p < SURE_NO, `p = ${String(p)}`);
  });

  it('are verified up to the first one that the drafter is not sure enough of, which may be the first', async () => {
    const rounds = async (confidenceThreshold: number): Promise<readonly number[]> => {
      const session = newSession({ target, drafter }, { promptIds, maxTokens: 30, confidenceThreshold });
      const drafted: number[] = [];
      for await (const { round } of session) if (round) drafted.push(round.drafted);
      return drafted;
    };
    const all = await rounds(0);
    assert.ok(all.slice(0, -4).every((count) => count === 4));
    assert.ok((await rounds(1)).every((count) => count === 0));
    const some = await rounds(0.45);
    assert.ok(new Set(some).size > 1, some.join());
  });

  it('do not change the most probable text, whatever the length and the threshold', async () => {
    const decode = async (wish: Partial<Wish>): Promise<readonly number[]> =>
      (await newSession({ target, drafter }, { promptIds, maxTokens: 20, ...wish }).finish()).tokenIds;
    const plain = await decode({ policy: fixedLength(0) });
    for (const confidenceThreshold of [0, 0.3, 0.45, 0.6, 1])
      for (const draftLength of [1, 2, 3, 4])
        assert.deepEqual(await decode({ draftLength, confidenceThreshold }), plain);
  });
});
