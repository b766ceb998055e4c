// Drafts drawn on the device, where each row waits for the one before. The distributions are those of an independent
// implementation of the chain, and tokens come as often as these say.
import assert from 'node:assert/strict';
import { drawnChain } from '../../../server/engine/sampling/drawnChain';
import type { Drafted, Place } from '../../../server/engine/sampling/sampler';
import { samplingOf, type Sampling } from '../../../server/engine/request/sampling';
import { dispose, liveArrays, scope, evaluateAsync } from '../../../server/models/mlx/memory';
import { assertClose } from '../../support/arrayValues';
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

  it('come from few tokens of a large vocabulary, whose probabilities are whole again', async () => {
    const { distributions = [] } = await drawn(logitTable(4, 40), samplingOf({ temperature: 1, seed: 1 }));
    for (const { tokens, probabilities } of distributions) {
      assert.equal(tokens.length, 16);
      assertClose([probabilities.reduce((sum, each) => sum + each, 0)], [1], 1e-9);
    }
  });

  it('fail where every token is forbidden', async () => {
    const forbiddenTokens = Array.from({ length: table.vocabSize }, (_, id) => id);
    await assert.rejects(drawn(table, samplingOf({ temperature: 1, forbiddenTokens })), RangeError);
  });
});
