// What single passes of the target cost: reading a prompt, and verifying 1 to 16 rows, one row being a plain step.
import type { Engine } from '../../server/engine/engine';
import { median } from '../../server/rules/median';
import { MAX_WIDTH, repeatTo, VerifySteps } from './verifySteps';

export const PREFILL_TOKENS = 512;
/** Steps are short, so they are measured more often than whole decodes. */
const STEPS_PER_REPEAT = 5;

export interface VerifyCost {
  /** Median milliseconds by width; entry 0 is a plain step. */
  readonly verifyMsByWidth: readonly number[];
  /** The widest verify over a plain step, measured side by side. */
  readonly verify16OverPlain: number;
}

export async function verifyCost(
  { target }: Engine,
  prompt: readonly number[],
  repeats: number,
): Promise<VerifyCost> {
  const steps = await VerifySteps.prepare(target, prompt);
  const widths = Array.from({ length: MAX_WIDTH }, (_, drafts) => drafts);
  const times = widths.map((): number[] => []);
  const ratios: number[] = [];
  for (const drafts of widths) await steps.run(drafts);
  for (let repeat = 0; repeat < repeats * STEPS_PER_REPEAT; repeat++) {
    const plain = await steps.run(0);
    ratios.push((await steps.run(MAX_WIDTH - 1)) / plain);
    for (const drafts of widths) times[drafts]?.push(await steps.run(drafts));
  }
  steps.dispose();
  return { verifyMsByWidth: times.map(median), verify16OverPlain: median(ratios) };
}

/** Tokens per second of a whole prefill, the first token included. */
export async function prefillSpeed(
  engine: Engine,
  prompt: readonly number[],
  repeats: number,
): Promise<number> {
  const tokens = repeatTo(prompt, PREFILL_TOKENS);
  const speeds: number[] = [];
  while (speeds.length < repeats) {
    const { stats } = await engine.decode(tokens, { maxTokens: 1, draftLength: 0 }).finish();
    speeds.push((1000 * PREFILL_TOKENS) / stats.prefillMs);
  }
  return median(speeds);
}
