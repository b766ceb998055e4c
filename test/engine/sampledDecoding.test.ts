// Whole decodes at a temperature: the same texts as often as in plain sampling, ended in the same places, with the
// history that was given out. On models that are tables, with drafts that a table gives.
import assert from 'node:assert/strict';
import type { DecodeResult } from '../../server/engine/decode/decode';
import { PromptCache } from '../../server/engine/promptCache';
import type { Place, Sampler } from '../../server/engine/sampling/sampler';
import { samplerOf } from '../../server/engine/sampling/samplerOf';
import { samplingOf, type SamplingOptions } from '../../server/engine/request/sampling';
import { liveArrays } from '../../server/models/mlx/memory';
import { checkedDecode, newSession, type CheckedModels, type Wish } from '../support/checkedDecode';
import { chiSquareOf } from '../support/chiSquare';
import { fullSize } from '../support/fullSize';
import { logitTable } from '../support/logitTable';
import { PieceTokenizer } from '../support/pieceTokenizer';
import { plainTexts } from '../support/plainChain';
import { SAMPLINGS } from '../support/samplings';
import { seededIntegers } from '../support/seededRandom';
import { chainedTableDrafter, tableDrafter, TableTarget } from '../support/tableTarget';

const VOCABULARY = 5;
const table = logitTable(7, VOCABULARY);
const other = logitTable(8, VOCABULARY);
const target = new TableTarget(table);
const drafter = tableDrafter(other, 4);
const selecting = tableDrafter(other, 4, 3);
const chained = chainedTableDrafter(other, 4);
const promptIds = [2, 4, 1];
const MODES = ['match', 'rejection'] as const;

/** Writes down where the sampler was asked for tokens. */
function watched(sampler: Sampler, places: Place[]): Sampler {
  const verify: Sampler['verify'] = (logits, drafted, at) => {
    places.push(at);
    return sampler.verify(logits, drafted, at);
  };
  return { ...sampler, verify };
}

/** Decodes, and requires that every round has seen exactly what was given out before it. */
async function decode(
  models: CheckedModels,
  options: SamplingOptions,
  wish: Partial<Wish> = {},
): Promise<DecodeResult> {
  const places: Place[] = [];
  const sampler = watched(samplerOf(samplingOf(options)), places);
  const result = await checkedDecode(models, { promptIds, maxTokens: 12, ...wish, sampler });
  let position = 0;
  for (const [i, at] of places.entries()) {
    assert.equal(at.position, position);
    assert.deepEqual(at.history, [...promptIds, ...result.tokenIds.slice(0, position)]);
    position += i === 0 ? 1 : (result.acceptanceLengths[i - 1] ?? NaN);
  }
  assert.equal(position, result.tokenIds.length);
  return result;
}

describe('decoding at a temperature', () => {
  const DRAWS = fullSize ? 2000 : 800;
  const LENGTH = 3;
  for (const [name, acceptance, how, drafting] of [
    ['penalties and top-p', 'match', '', drafter],
    ['everything at once', 'rejection', '', drafter],
    ['everything at once', 'rejection', ' and a selector', selecting],
  ] as const)
    it(`gives texts as often as plain sampling does, with ${name} and acceptance by ${acceptance}${how}`, async () => {
      const promptCache = new PromptCache(target, { bytes: 0 });
      const places: number[] = [];
      for (let seed = 0; seed < DRAWS; seed++) {
        const sampler = samplerOf(samplingOf({ ...SAMPLINGS[name], acceptance, seed }));
        // One more than is counted, so that a round has two drafts and a token of the target's own.
        const wish = { promptIds, maxTokens: LENGTH + 1, sampler };
        const session = newSession({ target, drafter: drafting }, wish, promptCache);
        for await (const chunk of session) assert.ok(chunk.tokens.length > 0);
        const text = session.result.tokenIds.slice(0, LENGTH);
        places.push(text.reduce((place, token) => place * VOCABULARY + token, 0));
      }
      const expected = plainTexts(table.after, promptIds, LENGTH, samplingOf(SAMPLINGS[name]));
      const p = chiSquareOf(places, expected);
      assert.ok(p > 0.01, `p = ${String(p)}`);
    });

  it('gives the text of its seed for every draft length, where drafts stay that equal it', async () => {
    for (const [seed, options] of Object.values(SAMPLINGS).entries()) {
      const plain = await decode({ target }, { ...options, seed });
      for (const draftLength of [1, 2, 4])
        for (const each of [drafter, chained]) {
          const { tokenIds } = await decode({ target, drafter: each }, { ...options, seed }, { draftLength });
          assert.deepEqual(tokenIds, plain.tokenIds);
        }
    }
  });

  it('gives the most probable text after penalties for every draft length', async () => {
    for (const options of Object.values(SAMPLINGS)) {
      const greedy = { ...options, temperature: 0, seed: 1 };
      const plain = await decode({ target }, greedy);
      for (const draftLength of [1, 3, 4])
        for (const each of [drafter, chained]) {
          const { tokenIds } = await decode({ target, drafter: each }, greedy, { draftLength });
          assert.deepEqual(tokenIds, plain.tokenIds);
        }
    }
  });

  it('gives the same text again for the same seed and draft length, and another for another seed', async () => {
    for (const acceptance of MODES) {
      const text = async (seed: number) =>
        (await decode({ target, drafter }, { temperature: 1, acceptance, seed })).tokenIds;
      assert.deepEqual(await text(1), await text(1));
      assert.notDeepEqual(await text(1), await text(2));
    }
  });

  describe('ends', () => {
    const END = 3;
    const ending = new TableTarget(table, [END]);
    const tokenizer = new PieceTokenizer(['a', 'b', 'c', 'd', 'e']);
    const lengths = seededIntegers(1, 30, 1, 9);

    it('at an end token wherever it falls in a round', async () => {
      for (const [seed, maxTokens] of lengths.entries())
        for (const acceptance of MODES) {
          const options = { temperature: 1, acceptance, seed };
          const { tokenIds, finishReason } = await decode({ target: ending, drafter }, options, {
            maxTokens,
          });
          assert.equal(finishReason, tokenIds.at(-1) === END ? 'stop' : 'length');
          assert.ok(tokenIds.length === maxTokens || tokenIds.at(-1) === END);
          if (acceptance === 'rejection') continue;
          assert.deepEqual(tokenIds, (await decode({ target: ending }, options, { maxTokens })).tokenIds);
        }
    });

    it('at a stop string wherever it falls', async () => {
      for (const seed of lengths.keys())
        for (const acceptance of MODES) {
          const options = { temperature: 1.5, acceptance, seed };
          const wish = { stopStrings: ['ab', 'ce', 'dd'], maxTokens: 30 };
          const result = await decode({ target, drafter, tokenizer }, options, wish);
          const text = tokenizer.decode(result.tokenIds);
          const found = text.search(/ab|ce|dd/);
          assert.equal(result.finishReason, found < 0 ? 'length' : 'stop');
          assert.equal(result.text, found < 0 ? text : text.slice(0, found));
          assert.ok(found < 0 || found === text.length - 2, 'nothing after a stop string');
          if (acceptance === 'rejection') continue;
          assert.deepEqual(result.tokenIds, (await decode({ target, tokenizer }, options, wish)).tokenIds);
        }
    });
  });

  it('goes on after what was given out as one that has never stopped, penalties included', async () => {
    const promptCache = new PromptCache(target, { bytes: Infinity });
    const long = Array.from({ length: 40 }, (_, i) => (i * i + (i >> 2)) % VOCABULARY);
    for (const acceptance of MODES)
      for (const [seed, options] of Object.values(SAMPLINGS).entries()) {
        const decodeIn = async (kept: PromptCache, prompt: readonly number[]): Promise<DecodeResult> => {
          const sampler = samplerOf(samplingOf({ ...options, acceptance, seed }));
          const wish = { promptIds: prompt, maxTokens: 6, sampler };
          const session = newSession({ target, drafter }, wish, kept);
          for await (const chunk of session) assert.ok(chunk.tokens.length > 0);
          return session.result;
        };
        let text: readonly number[] = long;
        for (let part = 0; part < 3; part++) {
          const known = await decodeIn(promptCache, text);
          const fresh = await decodeIn(new PromptCache(target, { bytes: 0 }), text);
          assert.deepEqual(known.tokenIds, fresh.tokenIds);
          if (part > 0) assert.equal(known.stats.reusedTokens, text.length - 1);
          text = [...text, ...known.tokenIds];
        }
      }
    promptCache.dispose();
  });

  it('leaves no array behind', async () => {
    const before = liveArrays();
    for (const acceptance of MODES)
      for (const each of [drafter, chained])
        await decode({ target, drafter: each }, { temperature: 1, acceptance, seed: 1 });
    assert.equal(liveArrays(), before);
  });
});
