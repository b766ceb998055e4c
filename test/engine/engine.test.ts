// Tests decodes of an engine, one and several at once: they take turns step by step, a new one supersedes a prefetch,
// and disposing of the engine ends all of them. No array remains in memory.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Engine } from '../../server/engine/engine';
import type { DecodeRequest } from '../../server/engine/decode/decode';
import { QueueTicket } from '../../server/engine/request/queueTicket';
import type { SamplingOptions } from '../../server/engine/request/sampling';
import { Scheduler } from '../../server/engine/scheduler';
import { passTurns } from '../../server/machine/turns';
import { liveArrays } from '../../server/models/mlx/memory';
import { WrongValue } from '../../server/rules/userError';
import { DFLASH } from '../support/fixtures';
import { temporaryFolder } from '../support/temporaryFolder';
import { seededIntegers } from '../support/seededRandom';
import { TINY_PAIR, tinyOutput, tinyPrompt } from '../support/tinyPair';

const maxTokens = tinyOutput.length;
const CONTEXT = 512;

describe('Engine', () => {
  const scheduler = new Scheduler();
  let liveBefore: number;
  let engine: Engine;
  before(async () => {
    liveBefore = liveArrays();
    engine = await Engine.load({ ...TINY_PAIR, scheduler });
  });
  after(async () => {
    await engine.dispose();
    assert.equal(liveArrays(), liveBefore, 'arrays of the disposed engine are still in memory');
  });

  /** Asserts that the engine still writes the right output. */
  async function requireUsable(): Promise<void> {
    const { tokenIds } = await engine.decode(tinyPrompt, { maxTokens }).finish();
    assert.deepEqual(tokenIds, tinyOutput);
  }

  it('rejects options out of range', () => {
    for (const options of [
      { maxTokens: 0 },
      { maxTokens: 1.5 },
      { maxTokens, draftLength: 2.5 },
      { maxTokens, draftLength: -1 },
      { maxTokens, confidenceThreshold: -0.1 },
      { maxTokens, confidenceThreshold: 1.1 },
      { maxTokens, stopStrings: [''] },
      { maxTokens, stopTokenIds: [-1] },
      { maxTokens, stopTokenIds: [1.5] },
      { maxTokens, sampling: { temperature: NaN } },
    ])
      assert.throws(() => engine.decode(tinyPrompt, options), RangeError, JSON.stringify(options));
  });

  it('refuses tokens outside the vocabulary, also those that sampling options name', () => {
    const { vocabSize } = engine.config;
    const sampled = (sampling: SamplingOptions) => () => engine.decode(tinyPrompt, { maxTokens, sampling });
    for (const [decode, where, position] of [
      [() => engine.decode([vocabSize], { maxTokens }), '', 0],
      [sampled({ forbiddenTokens: [1, vocabSize] }), ' in forbiddenTokens', 1],
      [sampled({ forbiddenTokens: [1], logitBias: [[vocabSize, 1]] }), ' in logitBias', 0],
    ] as const) {
      const expected = `token ids from 0 to ${String(vocabSize - 1)}${where}`;
      const message = `${expected}, got ${String(vocabSize)} at position ${String(position)};`;
      assert.throws(decode, (error) => error instanceof WrongValue && error.message.includes(message));
    }
  });

  it('keeps nothing of a decode whose options forbid all tokens, with a cached prompt too', async () => {
    const newEngine = await Engine.load({ ...TINY_PAIR, cacheBytes: 1e9 });
    const before = liveArrays();
    const forbiddenTokens = Array.from({ length: newEngine.config.vocabSize }, (_, token) => token);
    for (const isCached of [false, true]) {
      if (isCached) await newEngine.decode(tinyPrompt, { maxTokens }).finish();
      const decode = newEngine.decode(tinyPrompt, { maxTokens, sampling: { forbiddenTokens } });
      await assert.rejects(decode.finish(), /All tokens are forbidden/);
      assert.equal(decode.result.stats.reusedTokens > 0, isCached);
      assert.equal(liveArrays(), before);
    }
    await newEngine.dispose();
  });

  it('measures its prefill speed by passes over long prompts', async () => {
    const newEngine = await Engine.load(TINY_PAIR);
    await newEngine.decode(tinyPrompt, { maxTokens: 1 }).finish();
    assert.equal(newEngine.prefillSpeed, undefined);
    await newEngine.decode(seededIntegers(2, 300, 3, 255), { maxTokens: 1 }).finish();
    assert.ok((newEngine.prefillSpeed ?? 0) > 0);
    assert.equal(newEngine.profile.read?.tokens, 256);
    await newEngine.dispose();
  });

  it('yields each chunk once, and nothing after the end', async () => {
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

  it('measures the time to the first token, not to later ones', async () => {
    const decode = engine.decode(tinyPrompt, { maxTokens });
    await decode[Symbol.asyncIterator]().next();
    const { timeToFirstTokenMs } = decode.result.stats;
    assert.equal((await decode.finish()).stats.timeToFirstTokenMs, timeToFirstTokenMs);
  });

  it('ends a decode at the end of the context', async () => {
    for (const room of [1, 2, 12]) {
      const ids = seededIntegers(room, CONTEXT - room, 3, 255);
      for (const draftLength of [0, 'full'] as const) {
        const result = await engine.decode(ids, { maxTokens: 100, draftLength }).finish();
        assert.equal(result.tokenIds.length, room);
        assert.equal(result.finishReason, 'length');
      }
    }
    const full = seededIntegers(1, CONTEXT, 3, 255);
    assert.throws(() => engine.decode(full, { maxTokens }), /a prompt of fewer than 512 tokens, got 512/);
    await assert.rejects(engine.promptLogprobs(full, { count: 0 }), /a prompt of fewer than 512 tokens/);
  });

  it('drafts nothing where a text can outgrow the positions that the drafter was trained for', async () => {
    const drafterDirectory = temporaryFolder();
    cpSync(DFLASH, drafterDirectory, { recursive: true });
    const file = join(drafterDirectory, 'config.json');
    const config = JSON.parse(readFileSync(file, 'utf8')) as object;
    const max_position_embeddings = tinyPrompt.length + 2;
    writeFileSync(file, JSON.stringify({ ...config, max_position_embeddings }));
    const limited = await Engine.load({ ...TINY_PAIR, drafterDirectory });
    for (const [tokens, reason] of [
      [2, undefined],
      [3, 'context_limit'],
    ] as const) {
      const { stats } = await limited.decode(tinyPrompt, { maxTokens: tokens }).finish();
      assert.equal(stats.speculationOff, reason);
    }
    await limited.dispose();
  });

  it('draws the same text for a seed with and without drafts unless a request sets the acceptance', async () => {
    const drawn = async (options: Partial<DecodeRequest>) => {
      const sampling = { temperature: 1, seed: 5 };
      return (await engine.decode(tinyPrompt, { maxTokens, sampling, ...options }).finish()).tokenIds;
    };
    assert.deepEqual(await drawn({ draftLength: 'full' }), await drawn({ draftLength: 0 }));
  });

  it('draws another text each time for requests without a seed, and reports the seed of each', async () => {
    const drawn = async (seed?: number) => {
      const sampling = { temperature: 1, seed };
      const { tokenIds, stats } = await engine.decode(tinyPrompt, { maxTokens, sampling }).finish();
      return { tokenIds, seed: stats.seed };
    };
    const [first, second] = [await drawn(), await drawn()];
    assert.notDeepEqual(first.tokenIds, second.tokenIds);
    assert.deepEqual(await drawn(first.seed), first);
    const greedy = await engine.decode(tinyPrompt, { maxTokens, sampling: { seed: 5 } }).finish();
    assert.equal(greedy.stats.seed, undefined);
  });

  it('runs other decodes while a consumer pauses', async () => {
    const paused = engine.decode(tinyPrompt, { maxTokens });
    await paused[Symbol.asyncIterator]().next();
    await requireUsable();
    assert.deepEqual((await paused.finish()).tokenIds, tinyOutput);
  });

  it('computes nothing for a decode that is aborted in the queue', async () => {
    const before = liveArrays();
    const controller = new AbortController();
    const first = engine.decode(tinyPrompt, { maxTokens }).finish();
    const waiting = engine.decode(tinyPrompt, { maxTokens, signal: controller.signal }).finish();
    controller.abort();
    const { tokenIds, finishReason, stats } = await waiting;
    assert.deepEqual(tokenIds, []);
    assert.equal(finishReason, 'cancelled');
    assert.equal(stats.prefillMs, 0);
    assert.ok(stats.queuedMs > 0 && stats.timeToFirstTokenMs >= stats.queuedMs);
    assert.deepEqual((await first).tokenIds, tinyOutput);
    assert.equal(liveArrays(), before);
  });

  it('reads no more of a prompt once the request for its log-probabilities is cancelled', async () => {
    const before = liveArrays();
    const controller = new AbortController();
    const { signal } = controller;
    const forward = mock.method(engine.target, 'forward').mock;
    const answer = engine.promptLogprobs(seededIntegers(1, 300, 3, 255), { count: 1, signal });
    // A message that cancels the request takes several turns to arrive.
    await passTurns(5);
    const reason = new Error('the client has gone');
    controller.abort(reason);
    await assert.rejects(answer, reason);
    assert.equal(forward.callCount(), 1);
    forward.restore();
    assert.equal(liveArrays(), before);
  });

  it('supersedes a running prefetch, and nothing else, with newer ghost text, generated code or prefetch', async () => {
    for (const kind of ['inline', 'generate', 'prefetch'] as const) {
      const running = (['inline', 'generate', 'prefetch'] as const).map((runningKind) =>
        engine.decode(tinyPrompt, { maxTokens, kind: runningKind }),
      );
      for (const decode of running) await decode[Symbol.asyncIterator]().next();
      const newer = engine.decode(tinyPrompt, { maxTokens, kind });
      const reasons: string[] = [];
      for (const decode of [...running, newer]) reasons.push((await decode.finish()).finishReason);
      assert.deepEqual(reasons, ['length', 'length', 'superseded', 'length']);
      assert.deepEqual(newer.result.tokenIds, tinyOutput);
    }
  });

  it('continues a prefetch while a next edit is decoded', async () => {
    const prefetch = engine.decode(tinyPrompt, { maxTokens, kind: 'prefetch' });
    await prefetch[Symbol.asyncIterator]().next();
    await engine.decode(tinyPrompt, { maxTokens, kind: 'nextEdit' }).finish();
    assert.equal((await prefetch.finish()).finishReason, 'length');
  });

  it('serves inline decodes before generating decodes of another engine with the same scheduler', async () => {
    const secondEngine = await Engine.load({ ...TINY_PAIR, scheduler });
    let tokenCount = 0;
    const generated = (async () => {
      for await (const { tokens } of secondEngine.decode(tinyPrompt, { maxTokens, draftLength: 0 }))
        tokenCount += tokens.length;
    })();
    while (tokenCount === 0) await turn();
    const inline = await engine.decode(tinyPrompt, { maxTokens, draftLength: 0, kind: 'inline' }).finish();
    // One token before the inline decode, one of the step that runs when the inline decode arrives, and at most one of
    // a step that ends while this test waits for a turn.
    assert.ok(tokenCount <= 3, String(tokenCount));
    assert.deepEqual(inline.tokenIds, tinyOutput);
    await generated;
    assert.equal(tokenCount, tinyOutput.length);
    await secondEngine.dispose();
  });

  it('ends decodes at any stage as superseded on dispose', async () => {
    const before = liveArrays();
    const secondEngine = await Engine.load(TINY_PAIR);
    const unstarted = secondEngine.decode(tinyPrompt, { maxTokens });
    const paused = secondEngine.decode(tinyPrompt, { maxTokens });
    await paused[Symbol.asyncIterator]().next();
    const running = secondEngine.decode(tinyPrompt, { maxTokens }).finish();
    const waiting = secondEngine.decode(tinyPrompt, { maxTokens }).finish();
    const logprobs = secondEngine.promptLogprobs(seededIntegers(1, 300, 3, 255), { count: 1 });
    await Promise.all([
      secondEngine.dispose(),
      assert.rejects(logprobs, (reason) => reason === 'superseded'),
    ]);
    for (const result of [unstarted.finish(), paused.finish(), running, waiting]) {
      const { tokenIds, finishReason } = await result;
      assert.equal(finishReason, 'superseded');
      assert.deepEqual(tokenIds, tinyOutput.slice(0, tokenIds.length));
    }
    assert.equal(liveArrays(), before);
    assert.throws(() => secondEngine.decode(tinyPrompt, { maxTokens }), /disposed/);
    await requireUsable();
  });

  it('lets other engines of its scheduler decode after a dispose that failed', async () => {
    const sharedScheduler = new Scheduler();
    const failing = await Engine.load({ ...TINY_PAIR, scheduler: sharedScheduler });
    const dispose = mock.method(failing.target, 'dispose', () => {
      throw new Error('the device is gone');
    });
    await assert.rejects(failing.dispose(), /the device is gone/);
    let isFree = false;
    void sharedScheduler.acquire().then(() => (isFree = true));
    await turn();
    await turn();
    assert.ok(isFree);
    dispose.mock.restore();
    failing.target.dispose();
  });

  it('reads no prompt after dispose for a waiting request for log-probabilities', async () => {
    const before = liveArrays();
    const secondEngine = await Engine.load({ ...TINY_PAIR, scheduler });
    const forward = mock.method(secondEngine.target, 'forward').mock;
    const release = await scheduler.acquire(new QueueTicket('inline'));
    const waiting = secondEngine.promptLogprobs(tinyPrompt, { count: 1 });
    const rejected = assert.rejects(waiting, (reason) => reason === 'superseded');
    const disposed = secondEngine.dispose();
    release();
    await disposed;
    await rejected;
    assert.equal(forward.callCount(), 0);
    assert.equal(liveArrays(), before);
  });
});
