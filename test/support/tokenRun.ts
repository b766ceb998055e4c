// Runs tokens through a target, and returns its outputs as plain numbers. The caller owns the caches, so a test can
// choose their content.
import type { LayerCache } from '../../server/models/decoder/layerCache';
import { scope } from '../../server/models/mlx/memory';
import type { TargetModel } from '../../server/models/decoder/target';
import { tokenArray } from '../../server/models/mlx/tokenArray';
import { valuesOf } from './arrayValues';

export interface TokenRun {
  readonly hidden: number[];
  readonly logits: number[];
  readonly taps: number[];
}

/** Runs one forward pass. */
export function runTokens(
  target: TargetModel,
  caches: readonly LayerCache[],
  ids: readonly number[],
  taps: readonly number[] = [],
): TokenRun {
  return scope(() => {
    const tokens = tokenArray(ids, target.config.vocabSize);
    const forward = target.forward(tokens, caches, taps);
    return {
      hidden: valuesOf(forward.hidden),
      logits: valuesOf(target.logits(forward.hidden)),
      taps: forward.taps ? valuesOf(forward.taps) : [],
    };
  });
}

/** Runs `ids` in chunks of `sizes` rows (the last size repeats) on new caches. */
export function runInChunks(
  target: TargetModel,
  ids: readonly number[],
  sizes: readonly number[],
  taps: readonly number[] = [],
): TokenRun {
  return withCaches(target, (caches) => {
    const runs: TokenRun[] = [];
    let from = 0;
    while (from < ids.length) {
      const rows = sizes[Math.min(runs.length, sizes.length - 1)] ?? ids.length;
      runs.push(runTokens(target, caches, ids.slice(from, from + rows), taps));
      from += rows;
    }
    return {
      hidden: runs.flatMap(({ hidden }) => hidden),
      logits: runs.flatMap(({ logits }) => logits),
      taps: runs.flatMap((run) => run.taps),
    };
  });
}

/** Runs `ids` in one pass. */
export function runWhole(
  target: TargetModel,
  ids: readonly number[],
  taps: readonly number[] = [],
): TokenRun {
  return runInChunks(target, ids, [ids.length], taps);
}

/** Calls `use` with empty caches and frees them. */
export function withCaches<T>(target: TargetModel, use: (caches: readonly LayerCache[]) => T): T {
  const caches = target.newCaches(1);
  try {
    return use(caches);
  } finally {
    for (const cache of caches) cache.dispose();
  }
}

/** Returns the index of the largest logit of the last row. */
export function bestToken({ logits }: TokenRun, vocabSize: number): number {
  const row = logits.slice(-vocabSize);
  return row.indexOf(Math.max(...row));
}
