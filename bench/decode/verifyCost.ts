// What verifying 1 to 16 rows costs, one row being a plain step.
import type { TargetModel } from '../../server/models/decoder/target';
import { median } from '../../server/rules/median';
import { MAX_WIDTH, VerifySteps } from './verifySteps';

/** Steps are short, so they are measured more often than whole decodes. */
const STEPS_PER_REPEAT = 5;

export interface VerifyCost {
  /** Median milliseconds by width; entry 0 is a plain step. */
  readonly msByWidth: readonly number[];
  /** The widest verify over a plain step, measured side by side. */
  readonly verify16OverPlain: number;
}

export async function verifyCost(
  target: TargetModel,
  prompt: readonly number[],
  repeats: number,
): Promise<VerifyCost> {
  const steps = await VerifySteps.prepare(target, prompt);
  const widths = Array.from({ length: MAX_WIDTH }, (_, drafts) => drafts);
  const times = widths.map((): number[] => []);
  const pairs: { plain: number; widest: number }[] = [];
  for (const drafts of widths) await steps.run(drafts);
  for (let repeat = 0; repeat < repeats * STEPS_PER_REPEAT; repeat++) {
    pairs.push({ plain: await steps.run(0), widest: await steps.run(MAX_WIDTH - 1) });
    for (const drafts of widths) times[drafts]?.push(await steps.run(drafts));
  }
  steps.dispose();
  return {
    msByWidth: times.map(median),
    verify16OverPlain: median(pairs.map(({ plain, widest }) => widest / plain)),
  };
}
