// The options of a request: what they are when nobody says, and which numbers make no sense.
import assert from 'node:assert/strict';
import {
  drawsDrafts,
  isBareGreedy,
  penalises,
  samplingOf,
  truncates,
  type SamplingOptions,
} from '../../../server/engine/request/sampling';

describe('samplingOf', () => {
  it('takes the most probable token unless it is told otherwise', () => {
    const sampling = samplingOf();
    assert.ok(isBareGreedy(sampling));
    assert.ok(!penalises(sampling) && !truncates(sampling) && !drawsDrafts(sampling));
    assert.ok(isBareGreedy(samplingOf({ temperature: undefined, topP: undefined, topK: undefined })));
  });

  it('keeps a seed and finds another where there is none', () => {
    assert.equal(samplingOf({ seed: 12 }).seed, 12);
    assert.notEqual(samplingOf().seed, samplingOf().seed);
  });

  const shaping: Readonly<Record<string, SamplingOptions>> = {
    temperature: { temperature: 0.1 },
    'a repetition penalty': { repetitionPenalty: 1.1 },
    'a presence penalty': { presencePenalty: 0.1 },
    'a frequency penalty': { frequencyPenalty: -0.1 },
    'a forbidden token': { forbiddenTokens: [0] },
    'a bias': { logitBias: [[0, 1]] },
    'log-probabilities, even none but the own': { logprobs: 0 },
  };
  for (const [what, options] of Object.entries(shaping))
    it(`is more than bare greedy with ${what}`, () => assert.ok(!isBareGreedy(samplingOf(options))));

  it('is bare greedy where nothing can come of an option', () => {
    for (const options of [
      { topK: 3 },
      { topP: 0.5 },
      { minP: 0.5 },
      { presencePenalty: 2, penaltyWindow: 0 },
    ])
      assert.ok(isBareGreedy(samplingOf(options)));
  });

  it('draws drafts for rejection at a temperature only', () => {
    assert.ok(drawsDrafts(samplingOf({ acceptance: 'rejection', temperature: 0.1 })));
    assert.ok(!drawsDrafts(samplingOf({ acceptance: 'rejection' })));
    assert.ok(!drawsDrafts(samplingOf({ acceptance: 'match', temperature: 1 })));
  });

  const refused: readonly SamplingOptions[] = [
    { temperature: -0.1 },
    { temperature: NaN },
    { temperature: Infinity },
    { topP: 0 },
    { topP: 1.1 },
    { minP: -0.1 },
    { minP: 1.1 },
    { topK: -1 },
    { topK: 1.5 },
    { repetitionPenalty: 0 },
    { repetitionPenalty: Infinity },
    { presencePenalty: 101 },
    { frequencyPenalty: NaN },
    { penaltyWindow: -1 },
    { penaltyWindow: 0.5 },
    { seed: -1 },
    { seed: 1.5 },
    { seed: 2 ** 60 },
    { logprobs: -1 },
    { logprobs: 0.5 },
  ];
  for (const options of refused)
    it(`refuses ${Object.entries(options).flat().join(' ')}`, () => {
      assert.throws(() => samplingOf(options), RangeError);
    });
});
