// Several decodes on one engine: they take turns step by step, and one that comes supersedes what is computed in
// advance. Disposing the engine breaks all of them off.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Engine } from '../../server/engine/engine';
import { liveArrays } from '../../server/models/mlx/memory';
import { seededIntegers } from '../support/seededRandom';
import { TINY_PAIR, tinyOutput, tinyPrompt } from '../support/tinyPair';

const maxTokens = tinyOutput.length;

describe('decodes on one engine', () => {
  let engine: Engine;
  before(async () => {
    engine = await Engine.load(TINY_PAIR);
  });
  after(() => engine.dispose());

  async function requireUsable(): Promise<void> {
    const { tokenIds } = await engine.decode(tinyPrompt, { maxTokens }).finish();
    assert.deepEqual(tokenIds, tinyOutput);
  }

  it('give each its own output, however they are read', async () => {
    const prompts = [tinyPrompt, seededIntegers(7, 30, 3, 255), seededIntegers(8, 300, 3, 255), tinyPrompt];
    const alone: (readonly number[])[] = [];
    for (const ids of prompts) alone.push((await engine.decode(ids, { maxTokens }).finish()).tokenIds);
    assert.deepEqual(alone[0], tinyOutput);
    const before = liveArrays();
    const together = await Promise.all(prompts.map((ids) => engine.decode(ids, { maxTokens }).finish()));
    assert.deepEqual(
      together.map(({ tokenIds }) => tokenIds),
      alone,
    );
    assert.equal(liveArrays(), before);
  });

  it('do not wait for a consumer that pauses', async () => {
    const paused = engine.decode(tinyPrompt, { maxTokens });
    await paused[Symbol.asyncIterator]().next();
    await requireUsable();
    assert.deepEqual((await paused.finish()).tokenIds, tinyOutput);
  });

  it('compute nothing when they are aborted while they wait', async () => {
    const before = liveArrays();
    const controller = new AbortController();
    const first = engine.decode(tinyPrompt, { maxTokens }).finish();
    const waiting = engine.decode(tinyPrompt, { maxTokens, signal: controller.signal }).finish();
    controller.abort();
    const { tokenIds, finishReason, stats } = await waiting;
    assert.deepEqual(tokenIds, []);
    assert.equal(finishReason, 'cancelled');
    assert.equal(stats.prefillMs, 0);
    assert.deepEqual((await first).tokenIds, tinyOutput);
    assert.equal(liveArrays(), before);
  });

  it('supersede whatever is computed in advance, and nothing else', async () => {
    for (const kind of ['inline', 'generate', 'prefetch'] as const) {
      const running = (['inline', 'generate', 'prefetch'] as const).map((each) =>
        engine.decode(tinyPrompt, { maxTokens, kind: each }),
      );
      for (const decode of running) await decode[Symbol.asyncIterator]().next();
      const newer = engine.decode(tinyPrompt, { maxTokens, kind });
      const reasons: string[] = [];
      for (const decode of [...running, newer]) reasons.push((await decode.finish()).finishReason);
      assert.deepEqual(reasons, ['length', 'length', 'superseded', 'length']);
      assert.deepEqual(newer.result.tokenIds, tinyOutput);
    }
  });

  it('go before those that generate on another engine of the process', async () => {
    const other = await Engine.load(TINY_PAIR);
    let chunks = 0;
    const generated = (async () => {
      for await (const { tokens } of other.decode(tinyPrompt, { maxTokens, draftLength: 0 }))
        chunks += tokens.length;
    })();
    while (chunks === 0) await turn();
    const inline = await engine.decode(tinyPrompt, { maxTokens, draftLength: 0, kind: 'inline' }).finish();
    // The step that ran, and one that was begun before the last one had ended.
    assert.ok(chunks <= 3, String(chunks));
    assert.deepEqual(inline.tokenIds, tinyOutput);
    await generated;
    assert.equal(chunks, tinyOutput.length);
    await other.dispose();
  });

  it('are broken off by dispose, wherever they are', async () => {
    const before = liveArrays();
    const other = await Engine.load(TINY_PAIR);
    const uncached = other.decode(tinyPrompt, { maxTokens });
    const paused = other.decode(tinyPrompt, { maxTokens });
    await paused[Symbol.asyncIterator]().next();
    const running = other.decode(tinyPrompt, { maxTokens }).finish();
    const waiting = other.decode(tinyPrompt, { maxTokens }).finish();
    await other.dispose();
    for (const result of [uncached.finish(), paused.finish(), running, waiting]) {
      const { tokenIds, finishReason } = await result;
      assert.equal(finishReason, 'superseded');
      assert.deepEqual(tokenIds, tinyOutput.slice(0, tokenIds.length));
    }
    assert.equal(liveArrays(), before);
    assert.throws(() => other.decode(tinyPrompt, { maxTokens }), /disposed/);
    await requireUsable();
  });
});
