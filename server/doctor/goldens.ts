// What the right answers are: for each family of targets, a small network and a text with the tokens that the network
// finds most probable; for the built-in pair, prompts and outputs. `npm run goldens` writes the file.
import { readFileSync } from 'node:fs';
import { mediaPath } from '../mediaPath';

export const GOLDENS = 'doctor/goldens.json';

/** Shape, mean and standard deviation: its values are made from these and from its name. */
export type TensorPlan = readonly [shape: readonly number[], mean: number, deviation: number];

export interface NetworkPlan {
  readonly name: string;
  /** What config.json holds, except how the weights are packed. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly tensors: Readonly<Record<string, TensorPlan>>;
}

/** The most probable token after each token of a text, from the end of the prompt on, and its logit. */
export interface BestTokens {
  readonly tokens: readonly number[];
  readonly logits: readonly number[];
}

export interface FamilyGolden extends NetworkPlan {
  /** Random tokens. The first PROMPT_TOKENS are read in one pass. */
  readonly text: readonly number[];
  /** Computed in float32 on a CPU by code that agrees with the reference implementation (test/models/goldens.test.ts). */
  readonly best: BestTokens;
}

/** Greedy, by the reference implementation. */
export interface PairGolden {
  readonly promptIds: readonly number[];
  readonly outputIds: readonly number[];
}

export interface Goldens {
  readonly families: readonly FamilyGolden[];
  /** The first is short. */
  readonly pair: readonly PairGolden[];
}

export function readGoldens(): Goldens {
  return JSON.parse(readFileSync(mediaPath(GOLDENS), 'utf8')) as Goldens;
}
