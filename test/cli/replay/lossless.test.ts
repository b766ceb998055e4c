// The check that decodes gave what the target alone gives: its verdicts, and the embedded pair under it.
import assert from 'node:assert/strict';
import {
  losslessness,
  plainReference,
  type RecordedRun,
  type Reference,
} from '../../../server/cli/replay/lossless';
import { Engine } from '../../../server/engine/engine';
import { EMBEDDED_PAIR, shortPrompt } from '../../support/embeddedPair';

const SIGNAL = new AbortController().signal;
const run = (...tokenIds: readonly number[]): RecordedRun => ({
  promptIds: [1, 2],
  stopStrings: [],
  tokenIds,
});

/** A target that counts: 10, 11, 12, ... */
function counting(gap: number, asked: (readonly number[])[] = []): Reference {
  return {
    decode: (_, maxTokens) => Promise.resolve(Array.from({ length: maxTokens }, (__, i) => 10 + i)),
    gapAfter: (tokenIds) => {
      asked.push(tokenIds);
      return Promise.resolve(gap);
    },
  };
}

describe('the check for losslessness', () => {
  it('takes equal tokens and their beginnings for equal, and leaves out what gave none', async () => {
    const counts = await losslessness([run(10, 11, 12), run(10), run()], counting(NaN), SIGNAL);
    assert.deepEqual(counts, { requests: 2, equal: 2, nearTies: 0, different: 0 });
  });

  it('excuses a difference at a near-tie only, judged at the first token that differs', async () => {
    const prompts: (readonly number[])[] = [];
    const runs = [run(10, 99, 98)];
    assert.equal((await losslessness(runs, counting(0.0009, prompts), SIGNAL)).nearTies, 1);
    assert.deepEqual(prompts, [[1, 2, 10]]);
    assert.equal((await losslessness(runs, counting(0.0011), SIGNAL)).different, 1);
  });

  it('takes an output beyond the end of the plain one for different', async () => {
    const ended: Reference = { ...counting(1), decode: () => Promise.resolve([10]) };
    assert.equal((await losslessness([run(10, 11)], ended, SIGNAL)).different, 1);
  });

  it('ends early with the counts so far', async () => {
    const controller = new AbortController();
    const counts = await losslessness([run(10), run(10)], counting(1), controller.signal, () => {
      controller.abort();
    });
    assert.deepEqual(counts, { requests: 1, equal: 1, nearTies: 0, different: 0 });
  });

  it('holds for the embedded pair, and finds a token that was changed', async () => {
    const engine = await Engine.load(EMBEDDED_PAIR);
    const promptIds = shortPrompt(0, 48);
    const { tokenIds } = await engine.decode(promptIds, { maxTokens: 8 }).finish();
    const reference = plainReference(engine);
    const at = Math.min(3, tokenIds.length - 1);
    const changed = tokenIds.map((token, i) => (i === at ? token + 1 : token));
    const runs = [tokenIds, tokenIds.slice(0, 5), changed].map((ids) => ({
      promptIds,
      stopStrings: [],
      tokenIds: ids,
    }));
    const counts = await losslessness(runs, reference, SIGNAL);
    await engine.dispose();
    assert.deepEqual(counts, { requests: 3, equal: 2, nearTies: 0, different: 1 });
  });
});
