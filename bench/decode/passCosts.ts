// Measures the costs of single passes of the target: prefill, and verifying 1 to 16 rows, where 1 is a plain step.
import { DecodeMemory } from '../../server/engine/decode/decodeMemory';
import { accept, commit, verify } from '../../server/engine/decode/round';
import { Stopwatch } from '../../server/engine/decode/stopwatch';
import type { Engine } from '../../server/engine/engine';
import { GreedySampler } from '../../server/engine/sampling/greedySampler';
import type { TargetModel } from '../../server/models/decoder/target';
import { dispose, scope } from '../../server/models/mlx/memory';
import { evaluateAndGiveTurns, giveTurns } from '../../server/models/mlx/evaluation';
import { tokenArray } from '../../server/models/mlx/tokenArray';
import { median } from '../../server/rules/median';
import { say } from '../report';
import { PREFILL_TOKENS, type PassCosts, type VerifyCosts } from './decodeReport';

/** Measured steps per repeat: they are short, so measure more of them than of whole decodes. */
const STEPS_PER_REPEAT = 5;
/** Rows of the widest step, and tokens of context that all rows attend to. */
const MAX_WIDTH = 16;
const CONTEXT_TOKENS = 256;

export async function passCosts(
  engine: Engine,
  prompt: readonly number[],
  repeats: number,
): Promise<PassCosts> {
  say('timing steps of each width');
  const costs = await verifyCosts(engine.target, prompt, repeats);
  say(`timing prefill of ${String(PREFILL_TOKENS)} tokens`);
  return { ...costs, prefillTokensPerSecond: await prefillSpeed(engine, prompt, repeats) };
}

async function verifyCosts(
  target: TargetModel,
  prompt: readonly number[],
  repeats: number,
): Promise<VerifyCosts> {
  const tokens = repeatTo(prompt, CONTEXT_TOKENS + MAX_WIDTH);
  const context = tokens.slice(0, CONTEXT_TOKENS);
  const memory = DecodeMemory.empty(target, [], tokens.length);
  const stepMs = (drafts: number): Promise<number> =>
    verifyMs(memory, context, tokens.slice(CONTEXT_TOKENS, CONTEXT_TOKENS + drafts));
  const widths = Array.from({ length: MAX_WIDTH }, (_, drafts) => drafts);
  const times = widths.map((): number[] => []);
  const ratios: number[] = [];
  await prefill(memory, context);
  for (const drafts of widths) await stepMs(drafts);
  for (let repeat = 0; repeat < repeats * STEPS_PER_REPEAT; repeat++) {
    const plain = await stepMs(0);
    ratios.push((await stepMs(MAX_WIDTH - 1)) / plain);
    for (const drafts of widths) times[drafts]?.push(await stepMs(drafts));
  }
  memory.dispose();
  return { verifyMsByWidth: times.map(median), verify16OverPlain: median(ratios) };
}

async function prefill({ target, caches }: DecodeMemory, context: readonly number[]): Promise<void> {
  const ids = tokenArray(context, target.config.vocabSize);
  const hidden = scope(() => target.forward(ids, caches, []).hidden);
  await evaluateAndGiveTurns(hidden);
  dispose(ids, hidden);
}

/** Measures the milliseconds to verify an anchor and `drafts`; keeps none of them in memory. */
async function verifyMs(
  memory: DecodeMemory,
  history: readonly number[],
  drafts: readonly number[],
): Promise<number> {
  const startedAt = performance.now();
  const context = { history, position: 0 };
  const stopwatch = new Stopwatch();
  const start = { memory, uncached: history.slice(-1), sampler: new GreedySampler(), context, stopwatch };
  const verified = await verify(start, { tokens: drafts });
  accept(drafts, verified.targetRows.read().tokenAt);
  const ms = performance.now() - startedAt;
  commit(start, verified, 0);
  await giveTurns();
  return ms;
}

/** Measures the tokens per second of a whole prefill, including the first output token. */
async function prefillSpeed(engine: Engine, prompt: readonly number[], repeats: number): Promise<number> {
  const tokens = repeatTo(prompt, PREFILL_TOKENS);
  const speeds: number[] = [];
  while (speeds.length < repeats) {
    const { stats } = await engine.decode(tokens, { maxTokens: 1, draftLength: 0 }).finish();
    speeds.push((1000 * PREFILL_TOKENS) / stats.prefillMs);
  }
  return median(speeds);
}

/** Returns a prompt of an exact length by repeating or cutting another one. */
function repeatTo(tokens: readonly number[], length: number): number[] {
  return Array.from({ length }, (_, i) => tokens[i % tokens.length] ?? 0);
}
