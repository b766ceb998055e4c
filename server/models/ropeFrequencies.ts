// By what angle each pair of a head turns from one position to the next, in the default form and under the scalings
// with which models were made to read longer texts (speculative-decoding.md F.9).
import type { RopeConfig } from './ropeConfig';

/** Positions are divided by `factor`. */
interface Linear {
  readonly type: 'linear';
  readonly factor: number;
}

/** Waves longer than the original text are slowed by `factor`, short ones kept, those between mixed. */
interface Llama3 {
  readonly type: 'llama3';
  readonly factor: number;
  /** Waves of the original length, divided by these, are the longest and the shortest of the mixed ones. */
  readonly lowFreqFactor: number;
  readonly highFreqFactor: number;
  readonly originalMaxPositionEmbeddings: number;
}

/** Slow pairs are slowed by `factor`, fast ones kept, with a ramp between; all are scaled. */
export interface Yarn {
  readonly type: 'yarn';
  readonly factor: number;
  readonly originalMaxPositionEmbeddings: number;
  /** Turns within the original text, of the last pair that is kept and of the first that is slowed in full. */
  readonly betaFast: number;
  readonly betaSlow: number;
  readonly attentionFactor: number;
  /** The ramp begins and ends between two pairs; otherwise at whole ones. */
  readonly exactRamp?: true;
}

export type RopeScaling = Linear | Llama3 | Yarn;

/** Radians per position, one for each of the pairs (i, i + rotaryDim / 2). */
export function ropeFrequencies(config: RopeConfig): number[] {
  const { headDim, rotaryDim = headDim, ropeTheta, scaling } = config;
  const usual = Array.from({ length: rotaryDim / 2 }, (_, pair) => ropeTheta ** ((-2 * pair) / rotaryDim));
  switch (scaling?.type) {
    case undefined:
      return usual;
    case 'linear':
      return usual.map((frequency) => frequency / scaling.factor);
    case 'llama3':
      return usual.map((frequency) => mixed(frequency, scaling.factor, llama3Share(frequency, scaling)));
    case 'yarn':
      return usual.map((frequency, pair) =>
        mixed(frequency, scaling.factor, 1 - yarnRamp(pair, rotaryDim, ropeTheta, scaling)),
      );
  }
}

/** `kept` of the frequency itself, the rest slowed by `factor`. */
function mixed(frequency: number, factor: number, kept: number): number {
  return frequency * kept + (frequency / factor) * (1 - kept);
}

function llama3Share(frequency: number, scaling: Llama3): number {
  const { lowFreqFactor, highFreqFactor, originalMaxPositionEmbeddings } = scaling;
  const waves = (originalMaxPositionEmbeddings * frequency) / (2 * Math.PI);
  return clamp((waves - lowFreqFactor) / (highFreqFactor - lowFreqFactor), 0, 1);
}

function yarnRamp(pair: number, rotaryDim: number, ropeTheta: number, yarn: Yarn): number {
  const pairOf = (turns: number): number =>
    (rotaryDim * Math.log(yarn.originalMaxPositionEmbeddings / (turns * 2 * Math.PI))) /
    (2 * Math.log(ropeTheta));
  const [first, last] = [pairOf(yarn.betaFast), pairOf(yarn.betaSlow)];
  const low = Math.max(yarn.exactRamp ? first : Math.floor(first), 0);
  const high = Math.min(yarn.exactRamp ? last : Math.ceil(last), rotaryDim - 1);
  return clamp((pair - low) / Math.max(high - low, 0.001), 0, 1);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
