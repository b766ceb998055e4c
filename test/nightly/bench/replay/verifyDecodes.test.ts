// The check that decodes gave what the target alone gives: its verdicts on scripted targets, and the embedded pair under it.
import assert from 'node:assert/strict';
import { isLossless, type Losslessness } from '../../../../bench/replay/lossless';
import { verifyDecodes, type RecordedRun, type Reference } from '../../../../bench/replay/verifyDecodes';
import type { DecodeRequest } from '../../../../server/engine/decode/decode';
import { Engine } from '../../../../server/engine/engine';
import { liveArrays } from '../../../../server/models/mlx/memory';
import * as mx from '../../../../server/models/mlx/ops';
import { EMBEDDED_PAIR, shortPrompt } from '../../../support/embeddedPair';
import { withHead } from '../../../support/headRecorder';
import { astray, newScript, ScriptedTarget, type ScriptOptions } from '../../../support/scriptedTarget';

const SIGNAL = new AbortController().signal;
const NONE = { requests: 0, equal: 0, nearTies: 0, different: 0, tokens: 0, tiedTokens: 0 };

function verify(runs: readonly RecordedRun[], reference: Reference): Promise<Losslessness> {
  return verifyDecodes(runs, reference, SIGNAL);
}

/** A target that says its script, with this gap between its token and all others. */
function scripted(gap: number, options: ScriptOptions = {}) {
  const script = newScript(8, 20, options);
  const scale = gap / 10;
  const target = withHead(new ScriptedTarget(script), (_, logits) => mx.multiply(logits, scale));
  const reference: Reference = {
    target,
    drafter: undefined,
    tokenizer: undefined,
    device: 'cpu',
    numberType: 'float32',
  };
  const run = (tokenIds: readonly number[], finishReason: RecordedRun['finishReason'] = 'length') => ({
    promptIds: script.promptIds,
    stopStrings: [],
    tokenIds,
    finishReason,
  });
  const { output } = script;
  const lastWrong = [...output.slice(0, -1), astray(output.at(-1))];
  return { reference, output, lastWrong, run };
}

describe('the check for losslessness', () => {
  it('takes equal tokens and their beginnings for equal, and leaves out what gave none', async () => {
    const { reference, output, run } = scripted(10);
    const counts = await verify([run(output), run(output.slice(0, 3), 'cancelled'), run([])], reference);
    assert.deepEqual(counts, { ...NONE, requests: 2, equal: 2, tokens: 23 });
  });

  it('excuses near-ties of the number type only, one by one', async () => {
    for (const [gap, numberType, counted] of [
      [0.0009, 'float32', { nearTies: 1, tiedTokens: 1 }],
      [0.0011, 'float32', { different: 1 }],
      [0.4, 'bfloat16', { nearTies: 1, tiedTokens: 1 }],
      [0.6, 'bfloat16', { different: 1 }],
    ] as const) {
      const { reference, lastWrong, run } = scripted(gap);
      const counts = await verify([run(lastWrong)], { ...reference, numberType });
      assert.deepEqual(counts, { ...NONE, requests: 1, tokens: 20, ...counted });
    }
  });

  it('does not pass what moves near-ties only, if it moves more of them than rounding', async () => {
    const { reference, output, lastWrong, run } = scripted(0.0009);
    const runs = (wrong: number, all: number): RecordedRun[] =>
      Array.from({ length: all }, (_, i) => run(i < wrong ? lastWrong : output));
    for (const [wrong, all, passes] of [
      [1, 1, true],
      [2, 2, false],
      [2, 5, true],
      [3, 7, false],
    ] as const) {
      const counts = await verify(runs(wrong, all), reference);
      assert.deepEqual([counts.different, counts.tiedTokens, counts.tokens], [0, wrong, 20 * all]);
      assert.equal(isLossless(counts), passes, `${String(wrong)} of ${String(all)}`);
    }
    const nonsense = await verify([run(output.map(() => 1))], reference);
    assert.deepEqual([nonsense.different, isLossless(nonsense)], [0, false]);
  });

  it('takes an output for different that goes on after its end, or ends before it', async () => {
    const { reference, output, run } = scripted(10, { endAt: 6 });
    const upTo = (length: number, reason: RecordedRun['finishReason']) =>
      run(output.slice(0, length), reason);
    const right = [upTo(7, 'stop'), upTo(6, 'length'), upTo(6, 'superseded'), upTo(1, 'abandoned')];
    assert.equal((await verify(right, reference)).equal, right.length);
    const wrong = [upTo(8, 'length'), upTo(7, 'length'), upTo(6, 'stop')];
    const counts = await verify(wrong, reference);
    assert.deepEqual([counts.different, counts.tiedTokens], [wrong.length, 0]);
    assert.ok(!isLossless(counts));
  });

  describe('with the embedded pair', () => {
    let engine: Engine;
    before(async () => {
      engine = await Engine.load({ ...EMBEDDED_PAIR, cacheBytes: 1e8 });
    });
    after(() => engine.dispose());

    async function decoded(
      index: number,
      options: Omit<DecodeRequest, 'maxTokens'> = {},
    ): Promise<RecordedRun> {
      const promptIds = shortPrompt(index, 48);
      const { stopStrings = [], stopTokenIds, sampling } = options;
      const { tokenIds, finishReason } = await engine
        .decode(promptIds, { maxTokens: 16, ...options })
        .finish();
      assert.ok(tokenIds.length > 0);
      return { promptIds, stopStrings, stopTokenIds, sampling, tokenIds, finishReason };
    }

    it('holds for what was drafted, drawn, penalised and ended in any way', async () => {
      const runs = [
        await decoded(0),
        await decoded(0, { draftLength: 'adaptive' }),
        await decoded(4, { stopStrings: [';'] }),
        await decoded(2, { sampling: { temperature: 0.8, topP: 0.95, seed: 5 } }),
        await decoded(3, { sampling: { repetitionPenalty: 1.3, forbiddenTokens: [13] } }),
      ];
      const [first] = runs;
      assert.ok(first);
      runs.push({ ...first, tokenIds: first.tokenIds.slice(0, 5), finishReason: 'cancelled' });
      const before = liveArrays();
      const { different, requests } = await verify(runs, engine);
      assert.deepEqual([different, requests], [0, runs.length]);
      assert.equal(liveArrays(), before);
    });

    it('finds a wrong token, one that is missing, another seed, and what lies behind a stop string', async () => {
      const greedy = await decoded(0);
      const { tokenIds } = greedy;
      const at = Math.min(3, tokenIds.length - 1);
      const drawn = await decoded(2, { sampling: { temperature: 1.2, seed: 5 } });
      const stopped = await decoded(4, { stopStrings: [';'] });
      const beyond = { ...(await decoded(4)), stopStrings: [';'] };
      assert.ok(stopped.finishReason === 'stop' && beyond.tokenIds.length > stopped.tokenIds.length);
      const wrong: Readonly<Record<string, RecordedRun>> = {
        wrong: { ...greedy, tokenIds: tokenIds.map((token, i) => (i === at ? token + 1 : token)) },
        missing: { ...greedy, tokenIds: tokenIds.slice(1) },
        drawn: { ...drawn, sampling: { temperature: 1.2, seed: 6 } },
        beyond,
        unended: { ...stopped, finishReason: 'length' },
      };
      for (const [what, run] of Object.entries(wrong))
        assert.equal((await verify([run], engine)).different, 1, what);
      assert.equal((await verify([greedy, drawn, stopped], engine)).different, 0);
    });
  });
});
