// The engine of one build in a process of its own, measured at each message. Says "ready" once it is loaded, and ends
// with the process that started it.
import { benchPrompts } from '../decode/benchPrompts';
import { median } from '../../server/rules/median';
import { repeatTo } from '../../server/doctor/repeatTo';
import { VerifySteps } from '../../server/doctor/verifySteps';
import { Engine } from '../../server/engine/engine';
import { pairDirectories } from '../../server/hub/pairDirectories';
import type { EngineTimes } from './subject';

const PREFILL_TOKENS = 512;
/** Repeats of a plain step and of a verify pass of 8 rows, which are short. */
const STEPS = 21;
const DRAFTS = 7;

async function main(): Promise<void> {
  const engine = await Engine.load(pairDirectories(undefined, undefined));
  const prompt = benchPrompts(engine, 1, 'psm').flat();
  const steps = await VerifySteps.prepare(engine.target, prompt);
  const measure = async (): Promise<EngineTimes> => {
    const tokens = repeatTo(prompt, PREFILL_TOKENS);
    const { stats } = await engine.decode(tokens, { maxTokens: 1, draftLength: 0, fresh: true }).finish();
    return { prefill: stats.prefillMs, step: await run(steps, 0), verify: await run(steps, DRAFTS) };
  };
  process.on('message', () => {
    measure().then((times) => process.send?.(times), fail);
  });
  await measure();
  process.send?.('ready');
}

async function run(steps: VerifySteps, drafts: number): Promise<number> {
  const times: number[] = [];
  while (times.length < STEPS) times.push(await steps.run(drafts));
  return median(times);
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}

process.once('disconnect', () => process.exit());
main().catch(fail);
