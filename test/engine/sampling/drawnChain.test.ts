// Drafts drawn on the device, where each row waits for the one before. The distributions are those of an independent
// implementation of the chain, and tokens come as often as these say.
import assert from 'node:assert/strict';
import { drawnChain } from '../../../server/engine/sampling/drawnChain';
import { chainNumber } from '../../../server/engine/sampling/rowDraws';
import type { Drafted, Place } from '../../../server/engine/sampling/sampler';
import { samplerOf } from '../../../server/engine/sampling/samplerOf';
import { samplingOf, type Sampling } from '../../../server/engine/request/sampling';
import { dispose, liveArrays, scope, evaluateAsync } from '../../../server/models/mlx/memory';
import { assertClose } from '../../support/arrayValues';
import { chiSquareOf } from '../../support/chiSquare';
import { logitTable, type LogitTable } from '../../support/logitTable';
import { plainProbabilities } from '../../support/plainChain';
import { SAMPLINGS } from '../../support/samplings';
import { tableChain } from '../../support/tableTarget';

const table = logitTable(3, 8);
const AT: Place = { history: [2, 4, 1, 4, 7], position: 3 };
const ROWS = 3;

async function drawn(of: LogitTable, sampling: Sampling, at = AT, rows = ROWS): Promise<Drafted> {
  const before = liveArrays();
  const pending = scope(() => drawnChain(tableChain(of, at.history, rows), at, sampling));
  await evaluateAsync(pending);
  const drafted = pending.read();
  dispose(pending);
  assert.equal(liveArrays(), before);
  return drafted;
}

describe('drafts drawn behind each other', () => {
  for (const [name, options] of Object.entries(SAMPLINGS))
    it(`come from what the chain makes of the row behind the drafts before it, with ${name}`, async () => {
      for (let seed = 0; seed < 20; seed++) {
        const sampling = samplingOf({ ...options, acceptance: 'rejection', seed });
        const { tokens, distributions = [] } = await drawn(table, sampling);
        assert.equal(tokens.length, ROWS);
        for (const [row, { tokens: listed, probabilities }] of distributions.entries()) {
          const history = [...AT.history, ...tokens.slice(0, row)];
          const expected = plainProbabilities(table.after(history), history, sampling);
          const found = expected.map((_, token) => probabilities[listed.indexOf(token)] ?? 0);
          assertClose(found, expected, 1e-5, `probabilities of row ${String(row)}`);
          assert.ok((expected[tokens[row] ?? -1] ?? 0) > 0, 'what was drawn is possible');
        }
      }
    });

  it('come as often as they are probable, and by nothing but the seed and the place', async () => {
    const sampling = (seed: number) => samplingOf({ temperature: 1, acceptance: 'rejection', seed });
    const firsts: number[] = [];
    for (let seed = 0; seed < 3000; seed++)
      firsts.push((await drawn(table, sampling(seed), AT, 1)).tokens[0] ?? -1);
    const expected = plainProbabilities(table.after(AT.history), AT.history, sampling(0));
    const p = chiSquareOf(firsts, new Map(expected.entries()));
    assert.ok(p > 0.01, `p = ${String(p)}`);
    assert.deepEqual(
      await drawn(table, sampling(5)).then(({ tokens }) => tokens),
      (await drawn(table, sampling(5))).tokens,
    );
  });

  it('are the tokens that the random number of their row falls on, the most probable ones first', async () => {
    for (let seed = 0; seed < 50; seed++) {
      const sampling = samplingOf({ temperature: 1.5, acceptance: 'rejection', seed });
      const { tokens, distributions = [] } = await drawn(table, sampling);
      for (const [row, { tokens: listed, probabilities }] of distributions.entries()) {
        let left = chainNumber(seed, AT.position, row);
        const place = probabilities.findIndex((each) => (left -= each) < 0);
        assert.equal(tokens[row], listed[place]);
        assert.deepEqual(
          probabilities,
          probabilities.toSorted((a, b) => b - a),
        );
      }
    }
  });

  it('come from few tokens of a large vocabulary, whose probabilities are whole again', async () => {
    const { distributions = [] } = await drawn(logitTable(4, 40), samplingOf({ temperature: 1, seed: 1 }));
    for (const { tokens, probabilities } of distributions) {
      assert.equal(tokens.length, 16);
      assertClose([probabilities.reduce((sum, each) => sum + each, 0)], [1], 1e-9);
    }
  });

  it('are the most probable ones at the lowest temperatures', async () => {
    for (const temperature of [1e-3, 1e-12, 1e-60]) {
      const { tokens } = await drawn(table, samplingOf({ temperature, seed: 2 }));
      const text = [...AT.history];
      for (const token of tokens) {
        const logits = table.after(text);
        assert.equal(token, logits.indexOf(Math.max(...logits)));
        text.push(token);
      }
    }
  });

  it('fail where every token is forbidden', async () => {
    const forbiddenTokens = Array.from({ length: table.vocabSize }, (_, id) => id);
    await assert.rejects(drawn(table, samplingOf({ temperature: 1, forbiddenTokens })), RangeError);
  });

  it('are what a sampler picks by rejection sampling; by match, the most probable ones', async () => {
    const pick = async (acceptance: 'match' | 'rejection'): Promise<Drafted> => {
      const sampler = samplerOf(samplingOf({ temperature: 1, acceptance, seed: 4 }));
      const pending = scope(() => sampler.sample(tableChain(table, AT.history, ROWS), AT));
      await evaluateAsync(pending);
      const drafted = pending.read();
      dispose(pending);
      return drafted;
    };
    const rejection = samplingOf({ temperature: 1, acceptance: 'rejection', seed: 4 });
    assert.deepEqual((await pick('rejection')).tokens, (await drawn(table, rejection)).tokens);
    const matched = await pick('match');
    assert.equal(matched.distributions, undefined);
    assert.equal(matched.tokens[0], table.after(AT.history).indexOf(Math.max(...table.after(AT.history))));
  });
});
