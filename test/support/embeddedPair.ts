// The trained pair that ships with the product, and the decodes of it that the reference implementation made.
import { deviceName } from './testDevice';
import { readFileSync } from 'node:fs';
import { PAIR_CASES, PAIR_TARGET } from './fixtures';

/** Folders of the pair, loaded in float32. */
export const EMBEDDED_PAIR = {
  targetDirectory: PAIR_TARGET,
  drafterDirectory: 'media/model/drafter',
  device: deviceName,
  strict: true,
} as const;

export interface PairCase {
  readonly path: string;
  readonly prompt: string;
  readonly prompt_ids: readonly number[];
  /** Greedy output of at most 64 tokens, the end token included. */
  readonly output_ids: readonly number[];
  /** Tokens per round with the full block; the last round may run past the end of the output. */
  readonly acceptance_lengths: readonly number[];
}

export const pairCases = JSON.parse(readFileSync(PAIR_CASES, 'utf8')) as readonly PairCase[];

/** Returns the last tokens of a case's prompt, for tests that need no long one; `index` wraps around. */
export function shortPrompt(index: number, tokens: number): readonly number[] {
  return pairCases[index % pairCases.length]?.prompt_ids.slice(-tokens) ?? [];
}
