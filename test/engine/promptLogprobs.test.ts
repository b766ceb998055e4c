// The log-probabilities of a prompt: those that decodes say of the same tokens at the same places, at no lasting cost.
import assert from 'node:assert/strict';
import { Engine } from '../../server/engine/engine';
import { liveArrays } from '../../server/models/mlx/memory';
import { assertClose } from '../support/arrayValues';
import { EMBEDDED_PAIR, shortPrompt } from '../support/embeddedPair';

describe('promptLogprobs', function () {
  this.timeout(600_000);
  let engine: Engine;
  before(async () => {
    engine = await Engine.load(EMBEDDED_PAIR);
  });
  after(() => engine.dispose());

  it('are those of a decode at the same places, in however many passes', async () => {
    const promptIds = shortPrompt(0, 40);
    const told = await engine.promptLogprobs(promptIds, { count: 3 });
    assert.deepEqual(
      told.map(({ token }) => token),
      promptIds.slice(1),
    );
    for (const place of [1, 15, 16, 17, 32, 39]) {
      const sampling = { logprobs: 3 };
      const { logprobs } = await engine
        .decode(promptIds.slice(0, place), { maxTokens: 1, sampling })
        .finish();
      const [decoded, read] = [logprobs?.[0], told[place - 1]];
      assert.deepEqual(
        read?.top.map(({ token }) => token),
        decoded?.top.map(({ token }) => token),
      );
      assertClose(
        read?.top.map(({ logprob }) => logprob) ?? [],
        decoded?.top.map(({ logprob }) => logprob) ?? [NaN],
        1e-4,
      );
      assert.ok((read?.logprob ?? 1) <= (read?.top[0]?.logprob ?? 0));
    }
  });

  it('keeps nothing, also when it is aborted', async () => {
    const live = liveArrays();
    await engine.promptLogprobs(shortPrompt(1, 50), { count: 0 });
    assert.equal(liveArrays(), live);
    const controller = new AbortController();
    const aborted = engine.promptLogprobs(shortPrompt(1, 200), { count: 0, signal: controller.signal });
    setImmediate(() => controller.abort(new Error('gone')));
    await assert.rejects(aborted, /gone/);
    assert.equal(liveArrays(), live);
  });
});
