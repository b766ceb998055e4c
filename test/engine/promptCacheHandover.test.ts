// What an engine has read outlives it: one of the same pair that is loaded afterwards reads only what is new, drafts with
// what the drafter has seen, and gives the output of an engine that has seen nothing before.
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import type { DecodeRequest, DecodeResult } from '../../server/engine/decode/decode';
import { Engine } from '../../server/engine/engine';
import type { PromptCache } from '../../server/engine/promptCache';
import { liveArrays } from '../../server/models/mlx/memory';
import { EMBEDDED_PAIR, pairCases } from '../support/embeddedPair';
import { GEMMA3, QWEN3_5 } from '../support/fixtures';
import { seededIntegers } from '../support/seededRandom';
import { TINY_PAIR } from '../support/tinyPair';

const MAX_TOKENS = 12;
const ALL = 1e9;
const text = (seed: number, length = 120): number[] => seededIntegers(seed, length, 3, 255);

const decode = (
  engine: Engine,
  promptIds: readonly number[],
  options: Partial<DecodeRequest> = {},
): Promise<DecodeResult> => engine.decode(promptIds, { maxTokens: MAX_TOKENS, ...options }).finish();

/** What a new engine leaves that has read these prompts; it is gone by then. */
async function left(prompts: readonly (readonly number[])[], bytes = ALL): Promise<PromptCache> {
  const engine = await Engine.load({ ...TINY_PAIR, cacheBytes: ALL });
  for (const prompt of prompts) await decode(engine, prompt);
  const promptCache = engine.handOver({ bytes });
  await engine.dispose();
  return promptCache;
}

describe('what an engine leaves', () => {
  let cold: Engine;
  let idle: number;
  before(async () => {
    cold = await Engine.load(TINY_PAIR);
    idle = liveArrays();
  });
  after(() => cold.dispose());
  afterEach(() => assert.equal(liveArrays(), idle, 'arrays left'));

  async function assertReused(engine: Engine, prompt: readonly number[], reused: number): Promise<void> {
    for (const draftLength of ['full', 'adaptive'] as const) {
      const { tokenIds, stats } = await decode(engine, prompt, { draftLength });
      assert.deepEqual(tokenIds, (await decode(cold, prompt, { draftLength })).tokenIds);
      assert.equal(stats.reusedTokens, draftLength === 'full' ? reused : prompt.length - 1);
    }
  }

  it('is what the next one need not read', async () => {
    const [one, two] = [text(1), text(2, 90)];
    const next = await Engine.load({ ...TINY_PAIR, promptCache: await left([one, two]) });
    await assertReused(next, [...one, 7, 9], one.length);
    await assertReused(next, [...two, 5], two.length);
    await assertReused(next, [...one.slice(0, 100), 8], 100);
    await assertReused(next, text(3), 0);
    await next.dispose();
  });

  it('goes from engine to engine, until nothing may stay', async () => {
    const prompt = text(4);
    let promptCache = await left([prompt]);
    for (const fits of [true, true, false]) {
      const next = await Engine.load({ ...TINY_PAIR, promptCache });
      await assertReused(next, [...prompt, 7], prompt.length);
      const bytes = next.promptCacheBytes;
      promptCache = next.handOver({ bytes: fits ? ALL : 0 });
      assert.equal(next.promptCacheBytes, 0);
      await next.dispose();
      assert.equal(promptCache.bytes, fits ? bytes : 0);
    }
  });

  it('drafts as well as what was read here', async () => {
    const { prompt_ids: prompt = [], output_ids: output = [] } = pairCases[0] ?? {};
    const before = liveArrays();
    const wish = { maxTokens: output.length, draftLength: 'full' } as const;
    const engine = await Engine.load({ ...EMBEDDED_PAIR, cacheBytes: ALL });
    await decode(engine, prompt, { ...wish, maxTokens: 1 });
    const here = await decode(engine, prompt, wish);
    await decode(engine, prompt, { ...wish, maxTokens: 1 });
    const promptCache = engine.handOver({ bytes: ALL });
    await engine.dispose();
    const next = await Engine.load({ ...EMBEDDED_PAIR, promptCache });
    const there = await decode(next, prompt, wish);
    await next.dispose();
    assert.equal(liveArrays(), before);
    assert.equal(there.stats.reusedTokens, prompt.length - 1);
    assert.deepEqual(
      [there.tokenIds, there.acceptanceLengths],
      [here.tokenIds, here.acceptanceLengths],
      'the same drafts were accepted',
    );
  });

  it('is forgotten where the drafter is another one, but for what no drafter has seen', async () => {
    const [drafted, plain] = [text(5), text(6)];
    const engine = await Engine.load({ ...TINY_PAIR, cacheBytes: ALL });
    await decode(engine, drafted);
    await decode(engine, plain, { draftLength: 0 });
    const promptCache = engine.handOver({ bytes: ALL });
    await engine.dispose();
    const { targetDirectory, device } = TINY_PAIR;
    const next = await Engine.load({ targetDirectory, device, promptCache });
    const reused = async (prompt: readonly number[]) =>
      (await decode(next, prompt, { draftLength: 0 })).stats.reusedTokens;
    assert.equal(await reused(drafted), 0);
    assert.equal(await reused(plain), plain.length - 1);
    await next.dispose();
  });

  it('takes what a decode brings back that was broken off by the end of the engine', async () => {
    const prompt = text(7);
    const engine = await Engine.load({ ...TINY_PAIR, cacheBytes: ALL });
    const running = engine.decode(prompt, { maxTokens: MAX_TOKENS });
    await running[Symbol.asyncIterator]().next();
    const promptCache = engine.handOver({ bytes: ALL });
    await engine.dispose();
    assert.equal((await running.finish()).finishReason, 'superseded');
    const next = await Engine.load({ ...TINY_PAIR, promptCache });
    await assertReused(next, prompt, prompt.length - 1);
    await next.dispose();
  });

  for (const targetDirectory of [GEMMA3, QWEN3_5])
    it(`may be of windows and states (${basename(targetDirectory)})`, async () => {
      const pair = { targetDirectory, device: 'cpu', cacheBytes: ALL } as const;
      const prompt = text(10);
      const engine = await Engine.load(pair);
      const { tokenIds } = await decode(engine, [...prompt, 7, 9]);
      await decode(engine, text(11));
      await decode(engine, prompt);
      const promptCache = engine.handOver({ bytes: ALL });
      await engine.dispose();
      const next = await Engine.load({ ...pair, promptCache });
      const again = await decode(next, [...prompt, 7, 9]);
      await next.dispose();
      assert.deepEqual(again.tokenIds, tokenIds);
      assert.equal(again.stats.reusedTokens, prompt.length);
    });
});
