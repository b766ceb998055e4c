// Tests distributions of partly known rows: they must equal those of an independent chain over whole rows, and the rest
// of a row is read only where it matters.
import assert from 'node:assert/strict';
import { draw, type Distribution } from '../../../server/engine/sampling/distribution';
import { occurrences, processRow } from '../../../server/engine/sampling/processRow';
import {
  penalises,
  samplingOf,
  truncates,
  type Sampling,
  type SamplingOptions,
} from '../../../server/engine/request/sampling';
import { assertClose } from '../../support/arrayValues';
import { largestFirst } from '../../support/largestFirst';
import { partialRow, type PartialRow, type RowContent } from '../../support/partialRow';
import { plainProbabilities } from '../../support/plainChain';
import { randomSampling } from '../../support/samplings';
import { seededIntegers, seededRandom } from '../../support/seededRandom';

/** Returns random logits like those of a model: a few large ones over many small ones. */
function randomLogits(seed: number, vocabSize: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: vocabSize }, () => 14 * random() ** 3 - 6);
}

/** Returns the tokens and sums of a row that the sampling chain reads from the device. */
function contentFor(sampling: Sampling, history: readonly number[], largest: number): RowContent {
  const { temperature, topP, penaltyWindow, forbiddenTokens, logitBias } = sampling;
  const window = penalises(sampling) ? history.slice(-penaltyWindow) : [];
  const tempered = temperature > 0 && !truncates(sampling) ? [temperature] : [];
  return {
    largest,
    named: [...window, ...forbiddenTokens, ...logitBias.map(([token]) => token)],
    temperatures: [...(topP < 1 ? [1] : []), ...tempered],
  };
}

/** Asserts that the listed tokens, the rest, and the complete list all have the expected probabilities. */
function requireDistribution(actual: Distribution, expected: readonly number[], message: string): void {
  requireSound(actual, message);
  const listed = expected.map((_, token) => actual.tokens.includes(token));
  const left = expected.reduce((sum, probability, token) => sum + (listed[token] ? 0 : probability), 0);
  assertClose([actual.rest], [left], 1e-9, message);
  const expectedListed = actual.tokens.map((token) => expected[token] ?? NaN);
  assertClose(actual.probabilities, expectedListed, 1e-9, message);
  const { tokens, probabilities } = actual.listAll();
  const all = expected.map(() => 0);
  for (const [i, token] of tokens.entries()) all[token] = probabilities[i] ?? NaN;
  assertClose(all, expected, 1e-9, message);
}

describe('processRow', () => {
  for (const [vocabSize, rounds] of [
    [12, 600],
    [300, 100],
    [3000, 10],
  ] as const)
    it(`yields the distribution of the whole row for ${String(vocabSize)} tokens of which some are known`, () => {
      for (let seed = 0; seed < rounds; seed++) {
        const sampling = randomSampling(seed, vocabSize);
        const logits = randomLogits(seed, vocabSize);
        const history = seededIntegers(seed, 10, 0, vocabSize - 1);
        if (penalises(sampling) && seed % 3 === 0) history.splice(3, 4, ...largestFirst(logits).slice(0, 4));
        const [largest = 1] = seededIntegers(seed + 1, 1, 1, Math.min(vocabSize, 40));
        const row = partialRow(logits, contentFor(sampling, history, largest));
        const actual = processRow(row, occurrences(sampling, history), sampling);
        const expected = plainProbabilities(logits, history, sampling);
        const message = `probabilities for seed ${String(seed)}: ${JSON.stringify(sampling)}`;
        requireDistribution(actual, expected, message);
      }
    });

  it('orders equal logits by id, known or not', () => {
    for (let seed = 0; seed < 400; seed++) {
      const vocabSize = 9;
      const sampling = randomSampling(seed, vocabSize);
      const logits = seededIntegers(seed, vocabSize, -2, 1);
      // Of equal logits at the limit, the device can return any as the largest: here the highest ids.
      const backwards = logits.toReversed();
      const order = largestFirst(backwards).map((token) => vocabSize - 1 - token);
      const history = seededIntegers(seed, 6, 0, vocabSize - 1);
      const [largest = 1] = seededIntegers(seed + 1, 1, 1, vocabSize - 1);
      const first = order.slice(0, largest);
      const needed = contentFor(sampling, history, largest);
      const usualRow = partialRow(logits, needed);
      const tokens = [...new Set([...first, ...(needed.named ?? [])])].sort((a, b) => a - b);
      const unknownCount = vocabSize - tokens.length;
      const floor = unknownCount > 0 ? (logits[first.at(-1) ?? 0] ?? NaN) : -Infinity;
      const knownLogits = tokens.map((token) => logits[token] ?? NaN);
      const row = { ...usualRow, tokens, logits: knownLogits, floor, unknownCount };
      const actual = processRow(row, occurrences(sampling, history), sampling);
      const expected = plainProbabilities(logits, history, sampling);
      requireDistribution(actual, expected, `probabilities for seed ${String(seed)}`);
    }
  });

  it('keeps only the most probable tokens at a temperature below the range of float32', () => {
    const logits = [3, 5, 5, 1, 0, -1];
    const row = partialRow(logits, { largest: 3, temperatures: [1e-300] });
    const { tokens, probabilities: all } = processRow(row, new Map(), samplingOf({ temperature: 1e-300 }));
    const likely = tokens.filter((_, i) => (all[i] ?? 0) > 0);
    assert.deepEqual(likely, [1, 2]);
  });

  describe('reading the rest of a row', () => {
    const logits = Array.from({ length: 50 }, (_, token) => 5 - token / 5);
    /** Returns how often the whole row is read. */
    const readCount = (
      options: SamplingOptions,
      history: readonly number[] = [],
      largest = 8,
    ): PartialRow['reads'] => {
      const sampling = samplingOf({ temperature: 1, ...options });
      const row = partialRow(logits, contentFor(sampling, history, largest));
      processRow(row, occurrences(sampling, history), sampling);
      return row.reads;
    };
    const best = [0, 1, 2, 3, 4, 5, 6, 7];
    for (const [title, reads, options, history] of [
      ['reads no more of a row to take the most probable token', 0, { temperature: 0 }],
      ['reads no more of a row for a small nucleus', 0, { topP: 0.5 }],
      ['reads no more of a row for penalties on some known tokens', 0, { repetitionPenalty: 2 }, [0, 1, 30]],
      ['reads no more of a row for a forbidden token', 0, { forbiddenTokens: [0], topK: 5 }],
      ['reads the whole row once if top-k exceeds the known tokens', 1, { topK: 9 }],
      ['reads the whole row once if the nucleus exceeds the known tokens', 1, { topP: 0.95 }],
      [
        'reads the whole row once if penalties rank unknown tokens first',
        1,
        { temperature: 0, presencePenalty: 9 },
        best,
      ],
      ['reads the whole row once if all known tokens are forbidden', 1, { forbiddenTokens: best }],
    ] as const)
      it(title, () => assert.equal(readCount(options, history), reads));
  });

  it('rejects a row whose tokens are all forbidden', () => {
    const sampling = samplingOf({ forbiddenTokens: [0, 1, 2] });
    const row = partialRow([1, 2, 3], { largest: 2, named: [0, 1, 2] });
    assert.throws(() => processRow(row, new Map(), sampling), RangeError);
  });
});

describe('processRow with a large vocabulary', () => {
  it('reads the whole row once', () => {
    const unknown = { largest: 1, named: [] };
    const random = seededRandom(5);
    const logits = Array.from({ length: 300_000 }, () => random());
    for (const options of [{}, { topP: 0.5 }, { topK: 200_000 }]) {
      const row = partialRow(logits, unknown);
      const sampling = samplingOf({ temperature: 1, ...options });
      assert.ok(draw(processRow(row, new Map(), sampling), 0.5) > 0);
      assert.equal(row.reads, 1);
    }
  });
});

/** Asserts that the tokens are listed once and in order, and that all probabilities add up to 1. */
function requireSound({ tokens, probabilities: listed, rest }: Distribution, message: string): void {
  assert.equal(listed.length, tokens.length, message);
  assert.deepEqual(
    tokens,
    [...new Set(tokens)].sort((a, b) => a - b),
    message,
  );
  const sum = listed.reduce((total, probability) => total + probability, rest);
  assert.ok(Math.abs(sum - 1) < 1e-12, `${message}: a sum of ${String(sum)}`);
}
