// What verifying 1 to 16 rows costs, one row being a plain step.
import { DecodeMemory } from '../../engine/decodeMemory';
import { commitRound, verifyRound } from '../../engine/round';
import { greedySampler } from '../../engine/sampling/greedySampler';
import { Stopwatch } from '../../engine/stopwatch';
import { dispose, scope, settle } from '../../models/memory';
import type { TargetModel } from '../../models/target';
import { tokenArray } from '../../models/tokenArray';
import { Floor } from './floor';
import { median } from './median';
import { repeatTo } from './repeatTo';

const MAX_WIDTH = 16;
/** Steps are short, so they are measured more often than whole decodes. */
const STEPS_PER_REPEAT = 5;
/** Rows that a verify of the benchmark attends to, besides its own. */
const CONTEXT_TOKENS = 256;

export interface VerifyCost {
  /** Median milliseconds by width; entry 0 is a plain step. */
  readonly msByWidth: readonly number[];
  readonly floorMs: number;
  /** A plain step over its bare products, and the widest verify over a plain step; each measured side by side. */
  readonly plainOverFloor: number;
  readonly verify16OverPlain: number;
}

export async function verifyCost(
  target: TargetModel,
  prompt: readonly number[],
  repeats: number,
): Promise<VerifyCost> {
  const tokens = repeatTo(prompt, CONTEXT_TOKENS + MAX_WIDTH);
  const memory = DecodeMemory.empty(target, [], tokens.length);
  const context = tokenArray(tokens.slice(0, CONTEXT_TOKENS), target.config.vocabSize);
  const hidden = scope(() => target.forward(context, memory.caches, []).hidden);
  await settle(hidden);
  dispose(context, hidden);
  const anchor = tokens[CONTEXT_TOKENS - 1] ?? 0;
  const at = { history: tokens.slice(0, CONTEXT_TOKENS), position: 0 };
  const step = async (drafts: number): Promise<number> => {
    const block = tokens.slice(CONTEXT_TOKENS, CONTEXT_TOKENS + drafts);
    const startedAt = performance.now();
    const start = { memory, unread: [anchor], sampler: greedySampler, at, watch: new Stopwatch() };
    const round = await verifyRound(start, { tokens: block });
    const elapsed = performance.now() - startedAt;
    commitRound(start, round, 0);
    return elapsed;
  };
  const floor = await Floor.prepare(target);
  const widths = Array.from({ length: MAX_WIDTH }, (_, drafts) => drafts);
  const times = widths.map((): number[] => []);
  const triples: { floor: number; plain: number; widest: number }[] = [];
  for (const drafts of widths) await step(drafts);
  for (let repeat = 0; repeat < repeats * STEPS_PER_REPEAT; repeat++) {
    triples.push({ floor: await floor.run(), plain: await step(0), widest: await step(MAX_WIDTH - 1) });
    for (const drafts of widths) times[drafts]?.push(await step(drafts));
  }
  floor.dispose();
  memory.dispose();
  return {
    msByWidth: times.map(median),
    floorMs: median(triples.map((each) => each.floor)),
    plainOverFloor: median(triples.map(({ floor: bare, plain }) => plain / bare)),
    verify16OverPlain: median(triples.map(({ plain, widest }) => widest / plain)),
  };
}
