// Tests whole decodes at a temperature: each text must be as frequent as in plain sampling. Target and drafter are
// probability tables.
import assert from 'node:assert/strict';
import type { DecodeResult } from '../../server/engine/decode/decode';
import { PromptCache } from '../../server/engine/promptCache';
import type { Sampler, TokenContext } from '../../server/engine/sampling/sampler';
import { createSampler } from '../../server/engine/sampling/createSampler';
import { samplingOf, type SamplingOptions } from '../../server/engine/request/sampling';
import { checkedDecode, newSession, type CheckedModels, type CheckedRequest } from '../support/checkedDecode';
import { chiSquareOf } from '../support/chiSquare';
import { fullSize } from '../support/fullSize';
import { logitTable } from '../support/logitTable';
import { plainTexts } from '../support/plainChain';
import { SAMPLINGS } from '../support/samplings';
import { chainedTableDrafter, tableDrafter, TableTarget } from '../support/tableTarget';

const VOCABULARY = 5;
const table = logitTable(7, VOCABULARY);
const drafterTable = logitTable(8, VOCABULARY);
const target = new TableTarget(table);
const drafter = tableDrafter(drafterTable, 4);
const selecting = tableDrafter(drafterTable, 4, 3);
const chained = chainedTableDrafter(drafterTable, 4);
/** Scores of the drafter, but NaN after token 2. */
const brokenTable = {
  vocabSize: VOCABULARY,
  after: (history: readonly number[]) =>
    history.at(-1) === 2 ? Array<number>(VOCABULARY).fill(NaN) : drafterTable.after(history),
};
const promptIds = [2, 4, 1];
const MODES = ['match', 'rejection'] as const;

/** Records the context of each pass of the target in `contexts`. */
function recordContexts(sampler: Sampler, contexts: TokenContext[]): Sampler {
  return {
    drawsDrafts: sampler.drawsDrafts,
    verify: (logits, drafted, context) => {
      contexts.push(context);
      return sampler.verify(logits, drafted, context);
    },
    sample: (proposed, context) => sampler.sample(proposed, context),
  };
}

/** Decodes, and requires that every round has seen exactly the tokens emitted before it. */
async function decode(
  models: CheckedModels,
  options: SamplingOptions,
  request: Partial<CheckedRequest> = {},
): Promise<DecodeResult> {
  const contexts: TokenContext[] = [];
  const sampler = recordContexts(createSampler(samplingOf(options)), contexts);
  const result = await checkedDecode(models, { promptIds, maxTokens: 12, ...request, sampler });
  let position = 0;
  for (const [i, context] of contexts.entries()) {
    assert.equal(context.position, position);
    assert.deepEqual(context.history, [...promptIds, ...result.tokenIds.slice(0, position)]);
    position += i === 0 ? 1 : (result.acceptanceLengths[i - 1] ?? NaN);
  }
  assert.equal(position, result.tokenIds.length);
  return result;
}

describe('decoding at a temperature', () => {
  const DRAWS = fullSize ? 2000 : 800;
  const LENGTH = 3;
  for (const [name, acceptance, extra, drafting] of [
    ['penalties and top-p', 'match', '', drafter],
    ['all options together', 'rejection', '', drafter],
    ['all options together', 'rejection', ' and a selector', selecting],
    ['all options together', 'rejection', ' and NaN in drafts', tableDrafter(brokenTable, 4)],
    ['penalties and top-p', 'rejection', ' and NaN in chained drafts', chainedTableDrafter(brokenTable, 4)],
  ] as const)
    it(`yields texts as often as plain sampling, with ${name} and acceptance by ${acceptance}${extra}`, async () => {
      const promptCache = new PromptCache(target, { bytes: 0 });
      const indices: number[] = [];
      for (let seed = 0; seed < DRAWS; seed++) {
        const sampler = createSampler(samplingOf({ ...SAMPLINGS[name], acceptance, seed }));
        // One token more than the test counts, so that a round has two drafts and a token of the target's own.
        const request = { promptIds, maxTokens: LENGTH + 1, sampler };
        const { tokenIds } = await newSession({ target, drafter: drafting }, request, promptCache).finish();
        const text = tokenIds.slice(0, LENGTH);
        indices.push(text.reduce((index, token) => index * VOCABULARY + token, 0));
      }
      const expected = plainTexts(table.after, promptIds, LENGTH, samplingOf(SAMPLINGS[name]));
      const p = chiSquareOf(indices, expected);
      assert.ok(p > 0.01, `p = ${String(p)}`);
    });

  it('ends texts as often as plain sampling where drafts are end tokens', async () => {
    const end = 0;
    const ending = new TableTarget(table, [end]);
    const promptCache = new PromptCache(ending, { bytes: 0 });
    const options = { temperature: 1, acceptance: 'rejection' } as const;
    /** Returns the index of a text among all texts of LENGTH tokens; end tokens fill it after its first end token. */
    const textIndex = (text: readonly number[]): number => {
      const [endAt, filled] = [text.indexOf(end), [...text, ...Array<number>(LENGTH).fill(end)]];
      const padded = filled.slice(0, LENGTH).map((token, i) => (endAt >= 0 && i > endAt ? end : token));
      return padded.reduce((index, token) => index * VOCABULARY + token, 0);
    };
    const expected = new Map<number, number>();
    for (const [index, probability] of plainTexts(table.after, promptIds, LENGTH, samplingOf(options))) {
      const digits = index.toString(VOCABULARY).padStart(LENGTH, '0');
      const ended = textIndex([...digits].map(Number));
      expected.set(ended, (expected.get(ended) ?? 0) + probability);
    }
    const indices: number[] = [];
    for (let seed = 0; seed < DRAWS; seed++) {
      const sampler = createSampler(samplingOf({ ...options, seed }));
      const request = { promptIds, maxTokens: LENGTH + 1, sampler };
      const { tokenIds } = await newSession({ target: ending, drafter }, request, promptCache).finish();
      indices.push(textIndex(tokenIds.slice(0, LENGTH)));
    }
    const p = chiSquareOf(indices, expected);
    assert.ok(p > 0.01, `p = ${String(p)}`);
  });

  it('yields the same text for a seed, or the most probable one, with every draft length', async () => {
    for (const [seed, sampling] of Object.values(SAMPLINGS).entries())
      for (const options of [
        { ...sampling, seed },
        { ...sampling, temperature: 0 },
      ]) {
        const plain = await decode({ target }, options);
        for (const draftLength of [1, 3, 4])
          for (const drafting of [drafter, chained]) {
            const { tokenIds } = await decode({ target, drafter: drafting }, options, { draftLength });
            assert.deepEqual(tokenIds, plain.tokenIds);
          }
      }
  });

  it('decodes to the end and frees all arrays, even if all scores of a drafter are NaN or infinite', async () => {
    for (const value of [NaN, Infinity, -Infinity]) {
      const broken = { vocabSize: VOCABULARY, after: () => Array<number>(VOCABULARY).fill(value) };
      const drafters = [tableDrafter(broken, 4), tableDrafter(broken, 4, 3), chainedTableDrafter(broken, 4)];
      for (const drafting of drafters)
        for (const acceptance of MODES) {
          const options = { temperature: 1, acceptance, seed: 1 };
          const { tokenIds, stats } = await decode({ target, drafter: drafting }, options);
          assert.equal(tokenIds.length, 12);
          assert.ok(stats.draftedTokens > 0);
        }
    }
  });

  it('continues an earlier output exactly like an uninterrupted decode, penalties included', async () => {
    const promptCache = new PromptCache(target, { bytes: Infinity });
    const long = Array.from({ length: 40 }, (_, i) => (i * i + (i >> 2)) % VOCABULARY);
    for (const acceptance of MODES)
      for (const [seed, options] of Object.values(SAMPLINGS).entries()) {
        const decodeIn = (cache: PromptCache, prompt: readonly number[]): Promise<DecodeResult> => {
          const sampler = createSampler(samplingOf({ ...options, acceptance, seed }));
          const request = { promptIds: prompt, maxTokens: 6, sampler };
          return newSession({ target, drafter }, request, cache).finish();
        };
        let text: readonly number[] = long;
        for (let part = 0; part < 3; part++) {
          const continued = await decodeIn(promptCache, text);
          const fresh = await decodeIn(new PromptCache(target, { bytes: 0 }), text);
          assert.deepEqual(continued.tokenIds, fresh.tokenIds);
          if (part > 0) assert.equal(continued.stats.reusedTokens, text.length - 1);
          text = [...text, ...continued.tokenIds];
        }
      }
    promptCache.dispose();
  });
});
