// Tests chained drafts: each depends on the drafts before it, as in DSpark. Sampled texts must be as frequent as
// without drafts, however the number of drafts to verify is chosen, provided that the choice to verify a draft depends
// neither on its token nor on later drafts.
import assert from 'node:assert/strict';
import { DecodeMemory } from '../../server/engine/decode/decodeMemory';
import { AdaptiveLength } from '../../server/engine/draftLength/adaptiveLength';
import type { DraftPolicy } from '../../server/engine/draftLength/policy';
import { PairProfile } from '../../server/engine/draftLength/profile';
import { PromptCache } from '../../server/engine/promptCache';
import { createSampler } from '../../server/engine/sampling/createSampler';
import { samplingOf } from '../../server/engine/request/sampling';
import type { Drafter } from '../../server/models/drafters/drafter';
import * as mx from '../../server/models/mlx/ops';
import { arrayOf } from '../support/arrayValues';
import { newSession } from '../support/checkedDecode';
import { chiSquareOf } from '../support/chiSquare';
import { fullSize } from '../support/fullSize';
import { logitTable } from '../support/logitTable';
import { noDrafter } from '../support/noDrafter';
import { plainTexts } from '../support/plainChain';
import { roundStart } from '../support/roundStart';
import { seededRandom } from '../support/seededRandom';
import { chainedTableDrafter, TableTarget } from '../support/tableTarget';

const VOCABULARY = 5;
const DRAWS = fullSize ? 6000 : 300;
const LENGTH = 3;
const SEED = 4_000_000;

const table = logitTable(7, VOCABULARY);
const target = new TableTarget(table);
const drafter = chainedTableDrafter(logitTable(8, VOCABULARY), 4);
const promptIds = [2, 4, 1];

/** Creates a policy with a profile in which verifying pays for drafts of high confidence only. */
function adaptive(): DraftPolicy {
  // Only the first row after the anchor is costly, so a policy that looked at later confidences would decide otherwise.
  const verifyMs = [10, 15, 15.1, 15.2, 15.3].map((ms, i) => [i + 1, ms] as const);
  const byPosition = Array<readonly [number, number]>(4).fill([1000, 850]);
  const byConfidence = [0, 50, 150, 700, 900, 950, 990, 1000].map((right) => [1000, right] as const);
  const rates = { 'table rejection': { byPosition, byConfidence } };
  const draftMs = { table: [[5, 0.1]] as const };
  return new AdaptiveLength(new PairProfile({ verifyMs, draftMs, rates }), 'rejection');
}

/** Returns how many of four drawn drafts are verified, given the drafter's confidence in each. */
async function verifiedOf(confidence: readonly number[]): Promise<number> {
  const proposing: Drafter = {
    ...drafter,
    newState: (...parts) => ({
      ...noDrafter.newState(...parts),
      propose: (_, count) => ({
        draft: (choose) => {
          for (let row = 0; row < count; row++) choose(mx.zeros([1, 1, VOCABULARY], mx.float32), row);
          return arrayOf([count], confidence.slice(0, count).map(Math.log));
        },
      }),
    }),
  };
  const memory = DecodeMemory.empty(target, [proposing], 1);
  const sampler = createSampler(samplingOf({ temperature: 1, acceptance: 'rejection', seed: 1 }));
  const { draft } = await adaptive().draft({ ...roundStart(memory, [1], 5), sampler }, 4);
  memory.dispose();
  return draft.tokens.length;
}

describe('chained drafts', () => {
  it('keeps the distribution of texts when the adaptive policy chooses how many chained drafts to verify', async () => {
    const promptCache = new PromptCache(target, { bytes: 0 });
    const drafted = new Set<number>();
    const textIndices: number[] = [];
    for (let seed = SEED; seed < SEED + DRAWS; seed++) {
      const sampler = createSampler(samplingOf({ temperature: 1, acceptance: 'rejection', seed }));
      const request = { promptIds, maxTokens: LENGTH + 2, sampler, policy: adaptive() };
      const session = newSession({ target, drafter }, request, promptCache);
      for await (const { round } of session) if (round) drafted.add(round.drafted);
      const text = session.result.tokenIds.slice(0, LENGTH);
      textIndices.push(text.reduce((index, token) => index * VOCABULARY + token, 0));
    }
    const expected = plainTexts(table.after, promptIds, LENGTH, samplingOf({ temperature: 1 }));
    const p = chiSquareOf(textIndices, expected);
    assert.ok(p > 0.01, `p = ${String(p)}`);
    assert.ok(drafted.size > 2, `rounds of ${[...drafted].join()} drafts`);
  });

  it('cuts chained drafts by the confidence of earlier ones, never of later ones', async () => {
    const random = seededRandom(5);
    const confidences = (): number[] => Array.from({ length: 4 }, () => random());
    const counts = new Set<number>();
    for (let trial = 0; trial < 300; trial++) {
      const [first, later] = [confidences(), confidences()];
      const shared = trial % 4;
      const second = [...first.slice(0, shared), ...later.slice(shared)];
      const [verified, alsoVerified] = [await verifiedOf(first), await verifiedOf(second)];
      const message = `${first.join()} and ${second.join()}`;
      assert.equal(Math.min(verified, shared), Math.min(alsoVerified, shared), message);
      counts.add(verified);
    }
    assert.ok(counts.size > 3, [...counts].join());
  });

  it('verifies all chained drafts at confidence threshold 0, none at 1, and varying numbers at 0.45', async () => {
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
});
