// How close a decision of the target was. Kernels for one row and for several round differently, so two right
// decodes may differ where the two best logits are nearly equal, and nowhere else.
import { dispose, scope, settle } from '../../models/memory';
import * as mx from '../../models/ops';
import type { TargetModel } from '../../models/target';
import { tokenArray } from '../../models/tokenArray';

/** Two logits closer than this may change places. */
export const NEAR_TIE = 1e-3;

/** Between the two best tokens of the target after `committed`, which is read in one pass. */
export async function topTwoGap(target: TargetModel, committed: readonly number[]): Promise<number> {
  const rows = committed.length;
  const caches = target.newCaches(rows);
  const { vocabSize } = target.config;
  const logits = scope(() => {
    const { hidden } = target.forward(tokenArray(committed, vocabSize), caches, []);
    return mx.reshape(target.logits(mx.slice(hidden, 1, rows - 1, rows)), -1);
  });
  await settle(logits);
  const [gap = NaN] = topTwoGaps(mx.numbers(logits), vocabSize);
  dispose(logits);
  for (const cache of caches) cache.dispose();
  return gap;
}

/** Best minus second best of each row of `vocabSize` logits. */
export function topTwoGaps(logits: readonly number[], vocabSize: number): number[] {
  return Array.from({ length: logits.length / vocabSize }, (_, row) => {
    let [best, second] = [-Infinity, -Infinity];
    for (const value of logits.slice(row * vocabSize, (row + 1) * vocabSize)) {
      if (value > best) [best, second] = [value, best];
      else if (value > second) second = value;
    }
    return best - second;
  });
}
