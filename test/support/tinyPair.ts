// The tiny random pair of the fixtures as an engine loads it, and its output for one prompt. It has no tokenizer.
import { deviceName } from './testDevice';
import { DFLASH, QWEN3, readGolden } from './fixtures';

export const TINY_PAIR = {
  targetDirectory: QWEN3,
  drafterDirectory: DFLASH,
  device: deviceName,
  strict: true,
} as const;

const golden = readGolden(QWEN3);

export const tinyPrompt: readonly number[] = golden('input_ids');

/** Greedy output of the reference, without an end token. */
export const tinyOutput: readonly number[] = golden('greedy_ids');
