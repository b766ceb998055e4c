// Tests the prompt cache with recurrent targets, whose states no token can be removed from: tokens are read again only
// where no state was kept, and the output equals that of an empty cache, also after a cancelled decode.
import assert from 'node:assert/strict';
import { PromptCache } from '../../server/engine/promptCache';
import type { DecodeResult } from '../../server/engine/decode/decode';
import type { Drafter } from '../../server/models/drafters/drafter';
import { liveArrays } from '../../server/models/mlx/memory';
import { ngramDrafter } from '../../server/models/drafters/ngramDrafter';
import { noDrafter } from '../support/noDrafter';
import { loadTarget } from '../support/loadModels';
import type { TargetModel } from '../../server/models/decoder/target';
import { newSession, type CheckedRequest } from '../support/checkedDecode';
import { ColdCheck } from '../support/coldCheck';
import { testDevice, deviceName } from '../support/testDevice';
import { QWEN3_5, readCheckpoint } from '../support/fixtures';
import { OracleDrafter } from '../support/oracleDrafter';
import { RecordingTarget } from '../support/recordingTarget';
import { seededIntegers } from '../support/seededRandom';
import { withConfig, writeCheckpoint } from '../support/tinyCheckpoint';

/** Returns random tokens. */
const tokens = (seed: number, length: number): number[] => seededIntegers(seed, length, 3, 255);

describe('the prompt cache with recurrent states', () => {
  /** Number of arrays in memory before a test. */
  let arraysBefore: number;
  let target: TargetModel;
  let promptCache: PromptCache;
  let cold: ColdCheck;
  before(async () => {
    const longer = withConfig(readCheckpoint(QWEN3_5), { max_position_embeddings: 4096 });
    target = await loadTarget(writeCheckpoint(longer), testDevice);
    cold = new ColdCheck({
      target,
      drafter: noDrafter,
      tokenizer: undefined,
      device: deviceName,
      numberType: 'float32',
    });
    arraysBefore = liveArrays();
  });
  after(() => target.dispose());

  beforeEach(() => (promptCache = new PromptCache(target, { bytes: Infinity })));
  afterEach(() => {
    promptCache.dispose();
    assert.equal(liveArrays(), arraysBefore);
  });

  const decode = (
    request: CheckedRequest,
    cache: PromptCache,
    drafter: Drafter = noDrafter,
  ): Promise<DecodeResult> => newSession({ target, drafter }, request, cache).finish();

  /** Decodes, requires the output of a cold target, and returns how many tokens were not read again. */
  async function reused(promptIds: readonly number[], maxTokens = 8, drafter?: Drafter): Promise<number> {
    const result = await decode({ promptIds, maxTokens }, promptCache, drafter);
    assert.ok(result.tokenIds.length === maxTokens || result.finishReason === 'stop');
    await cold.require(promptIds, result);
    return result.stats.reusedTokens;
  }

  it('reuses all but newly typed tokens, and rewinds over an output', async () => {
    const text = tokens(1, 300);
    assert.equal(await reused(text), 0);
    assert.equal(await reused([...text, 5]), 300, 'typed on');
    assert.equal(await reused(text), 299, 'undone');
    assert.equal(await reused([...text.slice(0, 280), 9, 9], 30), 280, 'changed a little before');
    assert.equal(await reused([...text.slice(0, 275), 7], 40), 275, 'and again after a longer output');
    assert.equal(await reused([...text.slice(0, 275), 7, 8]), 276);
  });

  it('falls back to a state near the end of a prefill chunk where no nearer one was kept', async () => {
    const text = tokens(3, 700);
    await reused(text);
    const changed = (at: number, token: number): number[] => [
      ...text.slice(0, at),
      token,
      ...text.slice(at + 1),
    ];
    // The second chunk ends at 512, and its state is kept 64 rows before that.
    assert.equal(await reused(changed(600, 1)), 448);
    assert.equal(await reused(changed(600, 2)), 448, 'a second change there');
    assert.equal(await reused(changed(601, 2)), 448);
    assert.equal(await reused(changed(100, 2)), 0);
    assert.equal(await reused(changed(100, 2)), 699);
  });

  it('keeps the state that an edit returned to, also when a long text follows the edit', async () => {
    // Keep one prompt only, so that the state cannot come from the first text.
    promptCache.resize({ bytes: Infinity, prompts: 1 });
    const text = tokens(5, 700);
    await reused(text);
    const changed = (token: number): number[] => [...text.slice(0, 600), token, ...tokens(6, 600)];
    assert.equal(await reused(changed(1)), 448);
    assert.equal(await reused(changed(2)), 448);
  });

  it('keeps eight prompts of different lengths', async () => {
    promptCache.resize({ bytes: 1e9, prompts: 8 });
    const prompts = [403, 8, 300, 20, 120, 403, 17, 60].map((length, i) => tokens(20 + i, length));
    for (const prompt of prompts) assert.equal(await reused(prompt), 0);
    for (const prompt of prompts) assert.equal(await reused(prompt), prompt.length - 1);
  });

  it('keeps recurrent states intact when a decode is cancelled at any point', async () => {
    const prompt = tokens(7, 600);
    const drafter = ngramDrafter();
    for (let lastPass = 1; lastPass <= 6; lastPass++) {
      const controller = new AbortController();
      const recorded = new RecordingTarget(target, (pass) => {
        if (pass + 1 === lastPass) controller.abort();
      });
      const cache = new PromptCache(recorded, { bytes: Infinity });
      const request = { promptIds: prompt, maxTokens: 20, signal: controller.signal };
      const cancelled = await newSession({ target: recorded, drafter }, request, cache).finish();
      assert.equal(cancelled.finishReason, 'cancelled');
      const { tokenIds, stats } = await decode({ promptIds: prompt, maxTokens: 8 }, cache, drafter);
      assert.equal(stats.reusedTokens, Math.min(256 * lastPass, prompt.length - 1));
      const fresh = await decode({ promptIds: prompt, maxTokens: 8 }, new PromptCache(target, { bytes: 0 }));
      assert.deepEqual(tokenIds, fresh.tokenIds);
      cache.dispose();
    }
  });

  it('keeps recurrent states correct after rejected blocks of the maximum size', async () => {
    const block = target.config.maxBlockSize ?? 0;
    const prompt = tokens(9, 50);
    const { tokenIds } = await decode(
      { promptIds: prompt, maxTokens: 90 },
      new PromptCache(target, { bytes: 0 }),
    );
    for (const right of [[0], [3, 0, 40]]) {
      const drafter = new OracleDrafter({ tokens: [...prompt, ...tokenIds], block, right }, noDrafter);
      assert.equal(await reused(prompt, 70, drafter), 0);
    }
  });

  it('yields the output of an empty cache after any mixture of prompts', async () => {
    const prompts: number[][] = [tokens(60, 200)];
    const choices = seededIntegers(61, 200, 0, 1 << 20);
    const drafter = ngramDrafter();
    for (let step = 0; step < 16; step++) {
      const [which = 0, cut = 0, add = 0, seed = 0] = choices.slice(4 * step);
      const base = prompts[which % prompts.length] ?? [];
      const removed = cut % 4 === 0 ? cut % base.length : cut % 6;
      const prompt = [...base.slice(0, Math.max(1, base.length - removed)), ...tokens(seed, 1 + (add % 40))];
      await reused(prompt, 6, drafter);
      prompts.push(prompt);
    }
  });

  it('changes tokens only at a few near-ties', () => {
    cold.requireFewTies();
  });
});
