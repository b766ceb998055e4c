// Log-probabilities of a token and of the most probable ones, against a log-softmax of whole rows.
import assert from 'node:assert/strict';
import { occurrences, tokenLogprobs } from '../../../server/engine/sampling/processRow';
import { samplingOf } from '../../../server/engine/request/sampling';
import { assertClose } from '../../support/arrayValues';
import { largestFirst } from '../../support/largestFirst';
import { partialRow } from '../../support/partialRow';
import { logSoftmax, penalisedLogits } from '../../support/plainChain';
import { randomSampling } from '../../support/samplings';
import { seededIntegers, seededRandom } from '../../support/seededRandom';

describe('log-probabilities', () => {
  it('are those of the whole row after the penalties, whatever is known of it', () => {
    for (let seed = 0; seed < 800; seed++) {
      const vocabSize = seed % 2 === 0 ? 12 : 200;
      const random = seededRandom(seed);
      const logits = Array.from({ length: vocabSize }, () => 10 * random() - 4);
      // What is cut off afterwards, and the temperature, have no part in them.
      const sampling = randomSampling(seed, vocabSize);
      const history = seededIntegers(seed, 8, 0, vocabSize - 1);
      const [largest = 1, top = 1] = seededIntegers(seed + 1, 2, 1, 10);
      const scores = penalisedLogits(logits, history, sampling);
      const expected = logSoftmax(scores);
      const ranked = largestFirst(scores).filter((token) => !sampling.forbiddenTokens.includes(token));
      const token = ranked[seed % 3 === 0 ? vocabSize - 2 : seed % 3] ?? 0;
      const counts = occurrences(sampling, history);
      const biased = sampling.logitBias.map(([token]) => token);
      const named = [...counts.keys(), ...sampling.forbiddenTokens, ...biased];
      const row = partialRow(logits, { largest, named, temperatures: [1] });
      const actual = tokenLogprobs(token, row, counts, { ...sampling, logprobs: top });
      assert.equal(actual.token, token);
      assertClose([actual.logprob], [expected[token] ?? NaN], 1e-9);
      assert.deepEqual(
        actual.top.map((each) => each.token),
        ranked.slice(0, top),
      );
      assertClose(
        actual.top.map(({ logprob }) => logprob),
        ranked.slice(0, top).map((each) => expected[each] ?? NaN),
        1e-9,
      );
    }
  });

  it('need not read all of a row that knows the tokens in question', () => {
    const logits = Array.from({ length: 50 }, (_, token) => 5 - token / 5);
    const row = partialRow(logits, { largest: 8, temperatures: [1] });
    const told = (token: number, logprobs: number) =>
      tokenLogprobs(token, row, new Map(), samplingOf({ logprobs }));
    const { top } = told(6, 3);
    assert.equal(top.length, 3);
    assert.equal(row.reads, 0);
    told(8, 3);
    told(1, 8);
    assert.equal(row.reads, 2);
  });

  it('can be of no alternative at all', () => {
    const row = partialRow([0, 0], { largest: 2 });
    const logprob = -Math.log(2);
    assert.deepEqual(tokenLogprobs(1, row, new Map(), samplingOf({ logprobs: 0 })), {
      token: 1,
      logprob,
      top: [],
    });
  });
});
