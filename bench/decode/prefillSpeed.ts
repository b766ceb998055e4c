// How fast a prompt is read.
import type { Engine } from '../../server/engine/engine';
import { median } from '../../server/rules/median';
import { repeatTo } from './repeatTo';

export const PREFILL_TOKENS = 512;

/** Tokens per second of a whole prefill, the first token included. */
export async function prefillSpeed(
  engine: Engine,
  prompt: readonly number[],
  repeats: number,
): Promise<number> {
  const tokens = repeatTo(prompt, PREFILL_TOKENS);
  const speeds: number[] = [];
  for (let repeat = 0; repeat < repeats; repeat++) {
    const { stats } = await engine.decode(tokens, { maxTokens: 1, draftLength: 0 }).finish();
    speeds.push((1000 * PREFILL_TOKENS) / stats.prefillMs);
  }
  return median(speeds);
}
