// Tests which tokens samplers with various options choose from hand-written or random logits on the device.
import assert from 'node:assert/strict';
import { accept } from '../../../server/engine/decode/round';
import type { DraftedTokens, Pending, Sampler, TokenContext } from '../../../server/engine/sampling/sampler';
import { createSampler } from '../../../server/engine/sampling/createSampler';
import { samplingOf, type SamplingOptions } from '../../../server/engine/request/sampling';
import { dispose, liveArrays, scope } from '../../../server/models/mlx/memory';
import { evaluateAndGiveTurns } from '../../../server/models/mlx/evaluation';
import type { MxArray } from '../../../server/models/mlx/ops';
import { arrayOf } from '../../support/arrayValues';
import { seededRandom } from '../../support/seededRandom';

type Rows = readonly (readonly number[])[];

const START: TokenContext = { history: [3], position: 0 };

/** Returns the result of a computation on the device, after asserting that it leaves no arrays. */
async function read<T>(logits: Rows, compute: (logits: MxArray) => Pending<T>): Promise<T> {
  const before = liveArrays();
  const pending = scope(() => compute(arrayOf([1, logits.length, logits[0]?.length ?? 0], logits.flat())));
  await evaluateAndGiveTurns(pending);
  const result = pending.read();
  dispose(pending);
  assert.equal(liveArrays(), before);
  return result;
}

/** Returns the tokens that the sampler accepts and chooses for drafts. */
const verified = (sampler: Sampler, logits: Rows, drafted: DraftedTokens, at = START) =>
  read(logits, (array) => {
    const { arrays, read: readRows } = sampler.verify(array, drafted, at);
    const accepted = () => {
      const { tokenAt, logprobsAt } = readRows();
      const acceptance = accept(drafted.tokens, tokenAt);
      const logprobs = logprobsAt && acceptance.tokens.map((token, row) => logprobsAt(row, token));
      return { ...acceptance, ...(logprobs && { logprobs }) };
    };
    return { arrays, read: accepted };
  });
/** Returns the tokens that the sampler draws as drafts. */
const sampled = (sampler: Sampler, logits: Rows, at = START) =>
  read(logits, (array) => sampler.sample({ logits: array }, at));

/** Returns a nearly flat row, so that draws often fall on tokens that the sampler has not read. */
function flatRow(seed: number, vocabSize: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: vocabSize }, () => random());
}

describe('createSampler', () => {
  const samplerFor = (options: SamplingOptions, mask?: number): Sampler =>
    createSampler(samplingOf(options), mask);

  const logits = [
    [0, 5, 1, 2],
    [3, 0, 1, 2],
    [0, 1, 2, 3],
  ];

  it('never chooses the mask or a forbidden token', async () => {
    for (let seed = 0; seed < 30; seed++)
      for (const acceptance of ['match', 'rejection'] as const) {
        const sampler = samplerFor({ temperature: 2, forbiddenTokens: [1], acceptance, seed }, 0);
        const drafted = await sampled(sampler, logits);
        const { tokens } = await verified(sampler, [...logits, logits[0] ?? []], drafted);
        assert.ok(!tokens.includes(0) && !tokens.includes(1), String(tokens));
        if (acceptance === 'rejection') assert.ok(!drafted.tokens.includes(0), 'the mask is drafted');
      }
  });

  it('applies thousands of biases without reading whole rows', async () => {
    const size = 3000;
    const rows = [1, 2, 3].map((seed) => flatRow(seed, size));
    const last = size - 1;
    const biases = (lastBias: number, otherBias: number): [number, number][] =>
      Array.from({ length: size }, (_, token) => [token, token === last ? lastBias : otherBias]);
    for (const options of [{ logprobs: 2 }, { topK: 5 }, {}, { acceptance: 'rejection' }] as const) {
      const sampler = samplerFor({ temperature: 1, ...options, logitBias: biases(100, -100) });
      const drafted = await sampled(sampler, rows.slice(1));
      assert.deepEqual((await verified(sampler, rows, drafted)).tokens[0], last);
      await read(rows, (array) => {
        const pending = sampler.verify(array, drafted, START);
        const { values } = pending.arrays as unknown as { values: MxArray };
        assert.ok((values.shape[1] ?? size) < 100, 'the sampler reads a whole row');
        return pending;
      });
    }
  });

  it('reads as much of a large vocabulary as top-k or forbidden tokens need', async () => {
    const row = flatRow(1, 200_000);
    const others = Array.from(row.keys()).filter((token) => token !== 7);
    const only = async (options: SamplingOptions): Promise<readonly number[]> =>
      (await verified(samplerFor({ temperature: 1, ...options }), [row], { tokens: [] })).tokens;
    assert.deepEqual(await only({ forbiddenTokens: others }), [7]);
    assert.deepEqual(await only({ topK: 1_000_000, minP: 1 }), [
      row.indexOf([...row].sort((a, b) => b - a)[0] ?? 0),
    ]);
  });

  it('applies penalties to tokens far below the most probable ones', async () => {
    const far = Array<number[]>(3).fill([...flatRow(1, 300), 9]);
    const sampler = samplerFor({ presencePenalty: -50, penaltyWindow: 2 });
    const { tokens } = await verified(sampler, far, { tokens: [7, 8] }, { history: [7], position: 4 });
    assert.deepEqual(tokens, [7, 7]);
  });

  it('applies no penalty to drafts that have left the window', async () => {
    const sampler = samplerFor({ presencePenalty: 50, penaltyWindow: 1 });
    const { tokens } = await verified(sampler, Array<number[]>(3).fill([0, 5, 4, 1]), { tokens: [1, 2] });
    assert.deepEqual(tokens, [1, 2, 1]);
  });

  it('draws the same tokens for a seed whatever is drafted, down to the least probable ones', async () => {
    const sampler = (seed: number) =>
      samplerFor({ temperature: 1.5, presencePenalty: 0.5, repetitionPenalty: 1.2, penaltyWindow: 4, seed });
    const rows = [1, 2, 3, 4].map((seed) => flatRow(seed, 2000));
    for (let seed = 0; seed < 40; seed++) {
      const plain: number[] = [];
      for (const row of rows) {
        const at = { history: [3, ...plain], position: plain.length };
        plain.push(...(await verified(sampler(seed), [row], { tokens: [] }, at)).tokens);
      }
      const right = await verified(sampler(seed), rows, { tokens: plain.slice(0, 3) });
      assert.deepEqual(right, { accepted: 3, tokens: plain });
      const wrong = await verified(sampler(seed), rows, { tokens: [plain[0] ?? 0, 2000 - 1, seed] });
      assert.deepEqual(wrong.tokens, plain.slice(0, wrong.tokens.length));
    }
  });
});
