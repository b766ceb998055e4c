// The memory of one layer as the engine sees it. Each kind of layer has its own cache class, with its own methods to
// write and read rows.
import type { MxArray } from '../mlx/addonTypes';

export interface LayerCache {
  /** Number of rows read and not forgotten, which is the position of the next row. */
  readonly offset: number;
  /** Returns the largest length up to `length` and `offset` that trimTo and fork can reach; 0 is always reachable. */
  reachable(length: number): number;
  /** Forgets all rows from `length` on. Throws RangeError for a length that is not reachable. */
  trimTo(length: number): void;
  /**
   * Returns a copy of the first `length` rows, with room for `expectedRows` rows in all if that is more. Throws
   * RangeError for a length that is not reachable.
   */
  fork(length: number, expectedRows: number): LayerCache;
  /** Lists its arrays, each once. They are evaluated with each step, so that lazy work does not pile up. */
  arrays(): MxArray[];
  dispose(): void;
}

/** Throws RangeError unless `cache` can be trimmed to exactly `length`. */
export function requireReach(cache: LayerCache, length: number): void {
  const nearest = cache.reachable(length);
  if (nearest === length && length >= 0) return;
  throw new RangeError(
    `Expected a length that ${String(cache.offset)} rows can be cut to, such as ${String(nearest)}, got ${String(length)}`,
  );
}

/** Narrows `cache` to the class that the layer creates. Throws TypeError if the caller passes a different one. */
export function cacheOf<T extends LayerCache>(
  kind: abstract new (...args: never[]) => T,
  cache: LayerCache | undefined,
): T {
  if (cache instanceof kind) return cache;
  throw new TypeError(`Expected the ${kind.name} of this layer, got ${String(cache?.constructor.name)}`);
}
