// What the engine needs of one layer's memory, whatever the layer computes. What a layer writes and reads is up to the
// model and its own kind of cache.
import type { MxArray } from '../mlx/mlxCore';

export interface LayerCache {
  /** Rows that it has seen, which is the position of the next one. */
  readonly offset: number;
  /** The largest length up to `length` and `offset` that trimTo and fork reach exactly; 0 is always one. */
  reachable(length: number): number;
  /** Forgets all rows from `length` on. Throws a RangeError for a length that cannot be reached. */
  trimTo(length: number): void;
  /** A copy that has seen the first `length` rows, with room for `expectedRows`; it refuses what trimTo refuses. */
  fork(length: number, expectedRows: number): LayerCache;
  /** Every array that it holds, once; evaluated with each step, so that lazy work does not pile up. */
  arrays(): MxArray[];
  dispose(): void;
}

/** Throws a RangeError unless `cache` can be cut to exactly `length`. */
export function requireReach(cache: LayerCache, length: number): void {
  const nearest = cache.reachable(length);
  if (nearest === length) return;
  throw new RangeError(
    `Expected a length that can be reached of ${String(cache.offset)}, such as ${String(nearest)}, got ${String(length)}`,
  );
}

/** `cache` as the kind that the layer makes; anything else is a defect of the caller. */
export function cacheOf<T extends LayerCache>(
  kind: abstract new (...args: never[]) => T,
  cache: LayerCache | undefined,
): T {
  if (cache instanceof kind) return cache;
  throw new TypeError(`Expected the ${kind.name} of this layer, got ${cache?.constructor.name ?? 'none'}`);
}
