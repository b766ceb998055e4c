// Sampling options for tests, fixed and random. Penalty windows are small, so that tokens leave them soon.
import { samplingOf, type Sampling, type SamplingOptions } from '../../server/engine/request/sampling';
import { seededRandom } from './seededRandom';

/** Samplings with each option by itself, and with several together. */
export const SAMPLINGS: Readonly<Record<string, SamplingOptions>> = {
  'temperature 0.3': { temperature: 0.3 },
  'temperature 0.7': { temperature: 0.7 },
  'temperature 1': { temperature: 1 },
  'temperature 1.5': { temperature: 1.5 },
  'top-k': { temperature: 1, topK: 3 },
  'top-p': { temperature: 0.7, topP: 0.8 },
  'min-p': { temperature: 1.5, minP: 0.2 },
  'a repetition penalty': { temperature: 1, repetitionPenalty: 1.6, penaltyWindow: 3 },
  'a presence penalty': { temperature: 1, presencePenalty: 1.2, penaltyWindow: 2 },
  'a frequency penalty': { temperature: 0.7, frequencyPenalty: 0.8, penaltyWindow: 4 },
  'a forbidden token': { temperature: 1, forbiddenTokens: [1] },
  'a bias against a token': { temperature: 1, logitBias: [[3, -2]] },
  'penalties and top-p': {
    temperature: 1.5,
    topP: 0.7,
    repetitionPenalty: 1.3,
    presencePenalty: 0.7,
    penaltyWindow: 2,
  },
  'all options together': {
    temperature: 0.7,
    topK: 4,
    topP: 0.9,
    minP: 0.05,
    repetitionPenalty: 1.2,
    presencePenalty: 0.3,
    frequencyPenalty: 0.4,
    penaltyWindow: 3,
    forbiddenTokens: [0],
    logitBias: [[1, 1.5]],
  },
};

/** Creates random sampling options. Each filter and penalty is present in about half of them. */
export function randomSampling(seed: number, vocabSize: number): Sampling {
  const random = seededRandom(seed);
  const sometimes = <T>(value: T): T | undefined => (random() < 0.5 ? value : undefined);
  const between = (low: number, high: number): number => low + random() * (high - low);
  return samplingOf({
    temperature: [0, 0.3, 0.7, 1, 1.5][Math.floor(random() * 5)],
    topK: sometimes(1 + Math.floor(random() * 8)),
    topP: sometimes(between(0.1, 0.99)),
    minP: sometimes(between(0.001, 0.5)),
    repetitionPenalty: sometimes(between(0.7, 2)),
    presencePenalty: sometimes(between(-1, 3)),
    frequencyPenalty: sometimes(between(-0.5, 2)),
    penaltyWindow: Math.floor(random() * 9),
    forbiddenTokens: random() < 0.3 ? [Math.floor(random() * vocabSize)] : [],
    logitBias: random() < 0.3 ? [[Math.floor(random() * vocabSize), between(-8, 8)]] : [],
    seed,
  });
}
