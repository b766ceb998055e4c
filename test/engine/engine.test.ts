// What the engine promises for every decode: limits that fit the model, refusals before anything is computed,
// and no array left behind. On the tiny fixtures, which have no tokenizer.
import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Engine } from '../../server/engine/engine';
import type { DecodeRequest, DecodeResult } from '../../server/engine/decode/decode';
import type { SamplingOptions } from '../../server/engine/request/sampling';
import { InputError } from '../../server/rules/inputError';
import { liveArrays } from '../../server/models/mlx/memory';
import { QWEN3 } from '../support/fixtures';
import { seededIntegers } from '../support/seededRandom';
import { temporaryFolder } from '../support/temporaryFolder';
import { TINY_PAIR, tinyOutput, tinyPrompt } from '../support/tinyPair';

const maxTokens = tinyOutput.length;
const CONTEXT = 512;
const REFUSED_SAMPLING: readonly SamplingOptions[] = [
  { temperature: -0.1 },
  { temperature: NaN },
  { topP: 0 },
  { topP: 1.1 },
  { minP: -0.1 },
  { topK: 1.5 },
  { repetitionPenalty: 0 },
  { presencePenalty: 101 },
  { frequencyPenalty: NaN },
  { penaltyWindow: 0.5 },
  { seed: -1 },
  { seed: 2 ** 60 },
  { logprobs: -1 },
];

describe('Engine', () => {
  let liveBefore: number;
  let engine: Engine;
  before(async () => {
    liveBefore = liveArrays();
    engine = await Engine.load(TINY_PAIR);
  });

  after(async () => {
    await engine.dispose();
    assert.equal(liveArrays(), liveBefore, 'arrays of a disposed engine');
  });

  async function requireUsable(): Promise<void> {
    const { tokenIds } = await engine.decode(tinyPrompt, { maxTokens }).finish();
    assert.deepEqual(tokenIds, tinyOutput);
  }

  describe('without a tokenizer', () => {
    it('decodes as the reference does and has no text', async () => {
      const before = liveArrays();
      const decode = engine.decode(tinyPrompt, { maxTokens });
      const given: number[] = [];
      for await (const { tokens, text } of decode) {
        given.push(...tokens);
        assert.equal(text, '');
      }
      assert.deepEqual(given, tinyOutput);
      assert.deepEqual(decode.result.tokenIds, tinyOutput);
      assert.equal(decode.result.text, null);
      assert.equal(liveArrays(), before);
    });

    it('refuses stop strings, which it could never find', () => {
      assert.throws(() => engine.decode(tinyPrompt, { maxTokens, stopStrings: ['a'] }), InputError);
    });

    it('cannot encode text', () => {
      assert.equal(engine.tokenizer, undefined);
      assert.throws(() => engine.encodePrompt('text'), InputError);
      assert.equal(engine.encodeChat([{ role: 'user', content: 'text' }]), undefined);
    });
  });

  describe('loading', () => {
    it('leaves nothing in memory where the tokenizer is no good but the weights are', async () => {
      const before = liveArrays();
      const targetDirectory = temporaryFolder();
      cpSync(QWEN3, targetDirectory, { recursive: true });
      writeFileSync(join(targetDirectory, 'tokenizer.json'), '{"model":{"type":"Other"}}');
      await assert.rejects(Engine.load({ targetDirectory, device: 'cpu' }), /tokenizer\.json/);
      assert.equal(liveArrays(), before);
    });
  });

  describe('decode', () => {
    it('is given out once: what has ended has nothing more to read', async () => {
      const decode = engine.decode(tinyPrompt, { maxTokens });
      await decode.finish();
      for await (const chunk of decode) assert.fail(`a chunk of ${String(chunk.tokens.length)} tokens`);
      assert.deepEqual((await decode.finish()).tokenIds, tinyOutput);
      const broken = engine.decode(tinyPrompt, { maxTokens });
      for await (const chunk of broken) if (chunk.round) break;
      const { tokenIds, finishReason } = broken.result;
      assert.equal(finishReason, 'abandoned');
      assert.deepEqual((await broken.finish()).tokenIds, tokenIds);
      await requireUsable();
    });
  });

  describe('draft length', () => {
    async function decodeWith(draftLength: DecodeRequest['draftLength']): Promise<DecodeResult> {
      const result = await engine.decode(tinyPrompt, { maxTokens, draftLength }).finish();
      assert.deepEqual(result.tokenIds, tinyOutput);
      return result;
    }

    it('is the whole block unless said otherwise, and never more', async () => {
      assert.equal(engine.maxDraftTokens, 7);
      for (const draftLength of [undefined, 'full', 7, 8, 1000, 1e12, Infinity] as const) {
        const { stats } = await decodeWith(draftLength);
        assert.equal(stats.draftedByPosition.length, 7);
        assert.equal(stats.speculationOff, undefined);
      }
    });

    it('is as long as asked for below that', async () => {
      for (const draftLength of [1, 2, 6]) {
        const { stats } = await decodeWith(draftLength);
        assert.equal(stats.draftedByPosition.length, draftLength);
      }
    });

    it('of 0 decodes plainly and says so', async () => {
      const { stats, acceptanceLengths } = await decodeWith(0);
      assert.equal(stats.speculationOff, 'draft_length_zero');
      assert.equal(stats.draftedTokens, 0);
      assert.deepEqual(acceptanceLengths, Array(maxTokens - 1).fill(1));
    });

    it('does not matter without a drafter', async () => {
      const plain = await Engine.load({ targetDirectory: QWEN3, device: 'cpu' });
      assert.equal(plain.maxDraftTokens, 0);
      for (const draftLength of [undefined, 'full', 0, 5] as const) {
        const { stats, tokenIds } = await plain.decode(tinyPrompt, { maxTokens, draftLength }).finish();
        assert.equal(stats.speculationOff, draftLength === 0 ? 'draft_length_zero' : 'no_drafter');
        assert.deepEqual(tokenIds, tinyOutput);
      }
      await plain.dispose();
    });
  });

  it('refuses options that make no sense', () => {
    for (const options of [
      { maxTokens: 0 },
      { maxTokens: 1.5 },
      { maxTokens: NaN },
      { maxTokens, draftLength: -1 },
      { maxTokens, draftLength: 2.5 },
      { maxTokens, stopStrings: [''] },
      { maxTokens, stopTokenIds: [-1] },
      { maxTokens, stopTokenIds: [0.5] },
      ...REFUSED_SAMPLING.map((sampling) => ({ maxTokens, sampling })),
    ])
      assert.throws(() => engine.decode(tinyPrompt, options), RangeError, JSON.stringify(options));
  });

  describe('prompt', () => {
    const unusable: Readonly<Record<string, readonly number[]>> = {
      'is empty': [],
      'has a token above the vocabulary': [5, 256],
      'has a negative token': [5, -1],
      'has half a token': [5, 1.5],
      'has a token that is no number': [NaN],
      'fills the context': seededIntegers(1, CONTEXT, 3, 255),
      'is longer than the context': seededIntegers(1, CONTEXT + 100, 3, 255),
    };
    for (const [problem, ids] of Object.entries(unusable))
      it(`is refused at once when it ${problem}`, async () => {
        const before = liveArrays();
        assert.throws(() => engine.decode(ids, { maxTokens }), InputError);
        assert.equal(liveArrays(), before);
        await requireUsable();
      });

    it('and output fill the context at most', async () => {
      for (const room of [1, 2, 12]) {
        const ids = seededIntegers(room, CONTEXT - room, 3, 255);
        for (const draftLength of [0, 'full'] as const) {
          const result = await engine.decode(ids, { maxTokens: 100, draftLength }).finish();
          assert.equal(result.tokenIds.length, room);
          assert.equal(result.finishReason, 'length');
        }
      }
    });
  });
});
