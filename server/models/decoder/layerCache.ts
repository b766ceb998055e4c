// The memory of one layer as the engine sees it, whatever the layer computes. Each kind of layer has its own kind of
// cache, with methods of its own to write and read rows.
import type { MxArray } from '../mlx/addonTypes';

export interface LayerCache {
  /** Number of rows seen, which is the position of the next one. */
  readonly offset: number;
  /** The largest length up to `length` and `offset` that trimTo and fork reach exactly; 0 is always one. */
  reachable(length: number): number;
  /** Forgets all rows from `length` on. Throws a RangeError for a length that cannot be reached. */
  trimTo(length: number): void;
  /**
   * Returns a copy that has seen the first `length` rows, with room for `expectedRows` or, if these are fewer, for no
   * more. Throws a RangeError where trimTo throws one.
   */
  fork(length: number, expectedRows: number): LayerCache;
  /** Returns every array that it holds, once; evaluated with each step, so that lazy work does not pile up. */
  arrays(): MxArray[];
  dispose(): void;
}

/** Throws a RangeError unless `cache` can be trimmed to exactly `length`. */
export function requireReach(cache: LayerCache, length: number): void {
  const nearest = cache.reachable(length);
  if (nearest === length) return;
  throw new RangeError(
    `Expected a length that can be reached of ${String(cache.offset)}, such as ${String(nearest)}, got ${String(length)}`,
  );
}

/** Narrows `cache` to the kind that the layer makes. Throws a TypeError for another kind: a defect of the caller. */
export function cacheOf<T extends LayerCache>(
  kind: abstract new (...args: never[]) => T,
  cache: LayerCache | undefined,
): T {
  if (cache instanceof kind) return cache;
  throw new TypeError(`Expected the ${kind.name} of this layer, got ${cache?.constructor.name ?? 'none'}`);
}
