// Measures what verifying some widths costs, one evaluation per step, so that any request may go between two steps.
import { dispose, giveTurns, scope, settle } from '../models/memory';
import type { TargetModel } from '../models/target';
import { tokenArray } from '../models/tokenArray';
import { DecodeMemory } from './decodeMemory';
import { commit, verify } from './round';
import { greedySampler } from './sampling/greedySampler';
import { Stopwatch } from './roundStart';

/** Rows of a block; what lies between is interpolated. */
const WIDTHS = [1, 2, 3, 4, 5, 6, 8, 11, 16];
/** The first run of a width finds cold caches and is left out. */
const RUNS = 4;
/** Rows that are attended to besides the block, and how many of them are read at a time: requests wait for a step. */
const CONTEXT = 256;
const CHUNK = 32;

/** Returns the median milliseconds of each width up to `maxRows`. */
export async function* calibration(
  target: TargetModel,
  maxRows: number,
): AsyncGenerator<undefined, ReadonlyMap<number, number>, undefined> {
  const { vocabSize, maxPositionEmbeddings } = target.config;
  const context = Math.min(CONTEXT, maxPositionEmbeddings - maxRows);
  const ids = Array.from({ length: context + maxRows }, (_, i) => i % vocabSize);
  const memory = DecodeMemory.empty(target, [], ids.length);
  try {
    for (let from = 0; from < context; from += CHUNK) {
      const chunk = ids.slice(from, Math.min(from + CHUNK, context));
      const hidden = scope(() => target.forward(tokenArray(chunk, vocabSize), memory.caches, []).hidden);
      await settle(hidden, memory.arrays());
      dispose(hidden);
      yield undefined;
    }
    const widths = [...new Set([...WIDTHS.filter((width) => width < maxRows), maxRows])];
    const roundStart = { memory, unread: [0], sampler: greedySampler, at: { history: [0], position: 1 } };
    const times = new Map(widths.map((width) => [width, [] as number[]]));
    for (let run = 0; run < RUNS; run++) {
      for (const [width, measured] of times) {
        const startedAt = performance.now();
        const block = ids.slice(context, context + width - 1);
        const start = { ...roundStart, watch: new Stopwatch() };
        const verified = await verify(start, { tokens: block });
        if (run > 0) measured.push(performance.now() - startedAt);
        commit(start, verified, 0);
        await giveTurns();
        yield undefined;
      }
    }
    return new Map([...times].map(([width, measured]) => [width, middle(measured)]));
  } finally {
    memory.dispose();
  }
}

/** The median of an odd number of measurements. */
function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}
