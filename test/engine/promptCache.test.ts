// Tests that tokens that were read once are not read again: after typing, accepting, undoing and switching texts.
// Whatever is reused, the output equals that of an engine with an empty cache.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Engine } from '../../server/engine/engine';
import type { DecodeRequest, DecodeResult } from '../../server/engine/decode/decode';
import { liveArrays } from '../../server/models/mlx/memory';
import { ColdCheck } from '../support/coldCheck';
import { seededIntegers } from '../support/seededRandom';
import { TINY_PAIR } from '../support/tinyPair';

const MAX_TOKENS = 8;
/** Returns a random text, as token ids. */
const text = (seed: number, length = 120): number[] => seededIntegers(seed, length, 3, 255);

describe('the prompt cache', () => {
  let cold: Engine;
  let check: ColdCheck;
  let warm: Engine;
  /** Number of arrays in memory before the warm engine is loaded. */
  let arraysBefore: number;
  before(async () => {
    cold = await Engine.load(TINY_PAIR);
    check = new ColdCheck(cold);
  });
  after(() => cold.dispose());

  beforeEach(async () => {
    arraysBefore = liveArrays();
    warm = await Engine.load({ ...TINY_PAIR, cacheBytes: 1e8 });
  });
  afterEach(async () => {
    await warm.dispose();
    assert.equal(liveArrays(), arraysBefore);
  });

  /** Decodes, and asserts the output of an engine with an empty cache. */
  async function decodeChecked(
    promptIds: readonly number[],
    options: Partial<DecodeRequest> = {},
  ): Promise<DecodeResult> {
    const result = await warm.decode(promptIds, { maxTokens: MAX_TOKENS, ...options }).finish();
    assert.ok(result.tokenIds.length === MAX_TOKENS || result.finishReason === 'stop');
    await check.require(promptIds, result);
    assert.equal(result.stats.promptTokens, promptIds.length);
    return result;
  }

  /** Decodes like `decodeChecked`, and returns the number of prompt tokens that were not read again. */
  async function reused(promptIds: readonly number[], options: Partial<DecodeRequest> = {}): Promise<number> {
    return (await decodeChecked(promptIds, options)).stats.reusedTokens;
  }

  it('reads only newly typed tokens, and only the last token again after an undo', async () => {
    const prompt = text(1);
    assert.equal(await reused(prompt), 0);
    assert.equal(await reused([...prompt, 7]), prompt.length);
    assert.equal(await reused([...prompt, 7, 9, 11]), prompt.length + 1);
    assert.equal(await reused([...prompt, 7]), prompt.length);
    assert.equal(await reused(prompt), prompt.length - 1);
  });

  it('reads only the last token of an accepted output, whole or in part', async () => {
    for (const accepted of [1, 3, MAX_TOKENS]) {
      const prompt = text(10 + accepted);
      const { tokenIds } = await decodeChecked(prompt);
      const next = [...prompt, ...tokenIds.slice(0, accepted)];
      assert.equal(await reused(next), next.length - 1);
    }
  });

  it('keeps several texts, including texts with a common prefix', async () => {
    const head = text(4, 60);
    const [one, two] = [
      [...head, ...text(5, 100)],
      [...head, ...text(6, 100)],
    ];
    assert.equal(await reused(one), 0);
    assert.equal(await reused(two), head.length);
    assert.equal(await reused([...one, 8]), one.length);
    assert.equal(await reused([...two, 8]), two.length);
  });

  it('reuses no entry that shares fewer than 16 tokens with the prompt', async () => {
    for (const [shared, expected] of [
      [15, 0],
      [16, 16],
    ] as const) {
      const head = text(7 + shared, shared);
      await decodeChecked([...head, ...text(8)]);
      assert.equal(await reused([...head, ...text(9)]), expected);
    }
  });

  it('reuses a prompt of fewer than 16 tokens if it is sent again, but no part of it', async () => {
    const prompt = text(95, 10);
    await decodeChecked(prompt);
    assert.equal(await reused(prompt), prompt.length - 1);
    assert.equal(await reused([...prompt.slice(0, 8), 7, 9]), 0);
  });

  it('overwrites an entry that loses at most 64 tokens, and otherwise copies from it', async () => {
    for (const [lost, left] of [
      [64, 56],
      [65, 119],
    ] as const) {
      const prompt = text(90 + lost);
      const shared = prompt.length - lost;
      await decodeChecked(prompt);
      assert.equal(await reused([...prompt.slice(0, shared), ...text(91, 80)]), shared);
      assert.equal(await reused(prompt), left);
    }
  });

  it('keeps its entries when a prompt of one token is decoded', async () => {
    const prompt = text(94, 60);
    await decodeChecked(prompt);
    assert.equal(await reused([7]), 0);
    assert.equal(await reused(prompt), prompt.length - 1);
  });

  it('reuses entries only with the same drafters', async () => {
    const prompt = text(22);
    await decodeChecked(prompt);
    assert.equal(await reused(prompt, { draftLength: 0 }), 0, 'a plain decode reuses an entry with drafters');
    assert.equal(await reused(prompt), prompt.length - 1);
    assert.equal(await reused(prompt, { draftLength: 0 }), prompt.length - 1);
  });

  it('keeps the tokens read by a decode that was cancelled in its prompt or output', async () => {
    const prompt = text(23, 400);
    const controller = new AbortController();
    const decode = warm.decode(prompt, { maxTokens: MAX_TOKENS, signal: controller.signal });
    const reading = decode.finish();
    // By then the first prefill chunk is running.
    await turn();
    controller.abort();
    const { finishReason, tokenIds } = await reading;
    assert.equal(finishReason, 'cancelled');
    assert.deepEqual(tokenIds, []);
    assert.equal(await reused(prompt), 256);
    for await (const chunk of warm.decode([...prompt, 3], { maxTokens: MAX_TOKENS })) if (chunk) break;
    assert.equal(await reused([...prompt, 3]), prompt.length);
  });

  it('copies from a running decode without disturbing it', async () => {
    const prompt = text(80, 300);
    const first = warm.decode(prompt, { maxTokens: 24 });
    const chunks = first[Symbol.asyncIterator]();
    await chunks.next();
    assert.equal(await reused([...prompt, 5]), prompt.length);
    assert.equal(await reused(prompt, { kind: 'inline' }), prompt.length - 1);
    await check.require(prompt, await first.finish());
    assert.equal(await reused([...prompt, 6]), prompt.length);
  });

  it('empties without effect on a running decode that another one has copied from', async () => {
    const prompt = text(81, 300);
    const first = warm.decode(prompt, { maxTokens: 24 });
    await first[Symbol.asyncIterator]().next();
    assert.equal(await reused([...prompt, 5]), prompt.length);
    warm.resizeCache({ bytes: 0 });
    assert.equal(warm.promptCacheBytes, 0);
    await check.require(prompt, await first.finish());
  });

  it('stays within its budget and drops the oldest prompt first', async () => {
    const prompts = Array.from({ length: 5 }, (_, i) => text(30 + i));
    await decodeChecked(text(40));
    const newest = warm.promptCacheBytes;
    await decodeChecked(text(41));
    const kept = warm.promptCacheBytes - newest;
    assert.ok(kept > 0);
    const bytes = newest + 2 * kept;
    warm.resizeCache({ bytes });
    for (const prompt of prompts) {
      await decodeChecked(prompt);
      assert.ok(warm.promptCacheBytes <= bytes);
    }
    assert.equal(warm.promptCacheBytes, bytes);
    const [oldest = [], , third = []] = prompts;
    assert.equal(await reused(third), third.length - 1);
    assert.equal(await reused(oldest), 0);
  });

  it('counts copying a prefix as a use of the entry', async () => {
    const [one, two, three] = [text(50, 160), text(51, 160), text(52, 160)];
    await decodeChecked(one);
    const entryBytes = warm.promptCacheBytes;
    await decodeChecked(two);
    warm.resizeCache({ bytes: 3 * entryBytes });
    // Shares its beginning with the first prompt and then differs, so that both stay.
    assert.equal(await reused([...one.slice(0, 60), ...text(53, 100)]), 60);
    assert.ok(warm.promptCacheBytes > 2.5 * entryBytes, 'an entry is dropped');
    await decodeChecked(three);
    assert.equal(await reused(one), one.length - 1);
    assert.equal(await reused(two), 0);
  });

  it('keeps the newest prompt even if it alone exceeds the budget', async () => {
    warm.resizeCache({ bytes: 1 });
    const [first, second] = [text(43), text(44)];
    await decodeChecked(first);
    assert.equal(await reused([...first, 5]), first.length);
    await decodeChecked(second);
    assert.equal(await reused([...second, 5]), second.length);
    assert.equal(await reused([...first, 5]), 0);
    const held = warm.promptCacheBytes;
    warm.resizeCache({ bytes: 2 });
    assert.equal(warm.promptCacheBytes, held);
    warm.resizeCache({ bytes: 0 });
    assert.equal(warm.promptCacheBytes, 0);
  });

  it('limits the cache by a share of the memory that the models took, too', async () => {
    for (const seed of [75, 76]) await decodeChecked(text(seed));
    const held = warm.promptCacheBytes;
    warm.resizeCache({ bytes: 1e8, modelShare: 1 });
    assert.equal(warm.promptCacheBytes, held);
    warm.resizeCache({ bytes: 1e8, modelShare: 1e-12 });
    assert.ok(warm.promptCacheBytes < held);
  });

  it('holds eight prompts of mixed lengths under a limit of eight, and drops the oldest first', async () => {
    warm.resizeCache({ bytes: 1e8, prompts: 8 });
    const prompts = [403, 8, 300, 20, 120, 403, 17, 60].map((length, i) => text(45 + i, length));
    for (const prompt of prompts) assert.equal(await reused(prompt), 0);
    for (const prompt of prompts) assert.equal(await reused(prompt), prompt.length - 1);
    const [oldest = [], next = []] = prompts;
    await decodeChecked(text(60));
    assert.equal(await reused(next), next.length - 1);
    assert.equal(await reused(oldest), 0);
  });

  it('takes only the bytes of the held tokens, whatever the token limits of their requests', async () => {
    const sizes: number[] = [];
    for (const maxTokens of [8, 100, 300]) {
      warm.resizeCache({ bytes: 0 });
      warm.resizeCache({ bytes: 1e8 });
      const decode = warm.decode(text(61, 90), { maxTokens });
      for await (const { tokens } of decode) if (tokens.length > 0) break;
      const newest = text(62, 3);
      await warm.decode(newest, { maxTokens: 1 }).finish();
      const both = warm.promptCacheBytes;
      warm.resizeCache({ bytes: 1 });
      sizes.push(both - warm.promptCacheBytes);
    }
    const [smallest = 0, ...larger] = sizes;
    for (const size of larger) assert.ok(size <= 1.25 * smallest, sizes.join());
  });

  it('drops a prompt that another entry covers before the oldest one', async () => {
    warm.resizeCache({ bytes: 1e8, prompts: 3 });
    const [oldest, long, newest] = [text(63), text(64, 300), text(65)];
    for (const prompt of [oldest, long, long.slice(0, 100), newest]) await decodeChecked(prompt);
    assert.equal(await reused(long), long.length - 1);
    assert.equal(await reused(oldest), oldest.length - 1);
  });

  it('keeps a prompt that another entry covers with other drafters only', async () => {
    warm.resizeCache({ bytes: 1e8, prompts: 3 });
    const [oldest, long, newest] = [text(72), text(73, 300), text(74)];
    const short = long.slice(0, 100);
    await decodeChecked(oldest);
    await decodeChecked(short, { draftLength: 0 });
    await decodeChecked(long, { fresh: true });
    await decodeChecked(long);
    await decodeChecked(newest);
    assert.equal(await reused(short, { draftLength: 0 }), short.length - 1);
  });

  it('drops the oldest prompts to make room for a running decode', async () => {
    const [oldest, recent] = [text(66), text(67)];
    for (const prompt of [oldest, recent]) await decodeChecked(prompt);
    const held = warm.promptCacheBytes;
    warm.resizeCache({ bytes: 2 * held });
    const running = warm.decode(text(68, 300), { maxTokens: 24 });
    await running[Symbol.asyncIterator]().next();
    assert.ok(warm.promptCacheBytes < held, 'no prompt is dropped before the decode fills its memory');
    assert.equal(await reused(oldest), 0);
    await running.finish();
  });

  it('neither serves nor keeps a fresh decode', async () => {
    const prompt = text(70);
    const unread = text(71);
    await decodeChecked(prompt);
    const held = warm.promptCacheBytes;
    assert.equal(await reused(prompt, { fresh: true }), 0);
    assert.equal(await reused(unread, { fresh: true, draftLength: 0 }), 0);
    assert.equal(warm.promptCacheBytes, held);
    assert.equal(await reused(unread), 0, 'a fresh decode is kept');
    assert.equal(await reused(prompt), prompt.length - 1, 'an earlier entry is dropped');
  });

  it('changes tokens only at a few near-ties', () => {
    check.requireFewTies();
  });
});
