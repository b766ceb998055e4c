// What the engine needs of one layer's memory, whatever the layer computes. What a layer writes and reads is up to the
// model and its own kind of cache.
import type { Dtype, MxArray } from './mlxCore';

/** What a cache holds, as a file can. */
export interface CacheRecord {
  readonly counts: Readonly<Record<string, number>>;
  readonly arrays: Readonly<Record<string, MxArray>>;
}

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
  /** What it holds, lazily; call inside a scope. Absent for kinds that cannot be stored. */
  record?(): CacheRecord;
  /**
   * Holds what a record of the same kind says, whose arrays it then owns. Call on an empty one, outside of scopes. Throws a
   * RangeError for any other record, whatever a damaged file says.
   */
  restore?(record: CacheRecord): void;
}

/** A number of rows from a record; throws a RangeError for what is none. */
export function countIn({ counts }: CacheRecord, name: string): number {
  const count = counts[name] ?? NaN;
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new RangeError(`Expected ${name} to be a number of rows, got ${String(count)}`);
}

/** An array from a record; throws a RangeError for one of another shape or type, which would end the process later. */
export function arrayIn(
  { arrays }: CacheRecord,
  name: string,
  shape: readonly number[],
  dtype: Dtype,
): MxArray {
  const array = arrays[name];
  if (array?.dtype === dtype && array.shape.join() === shape.join()) return array;
  throw new RangeError(`Expected ${name} [${shape.join(', ')}], got [${String(array?.shape.join(', '))}]`);
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

/** The records of several caches as one. */
export function joinedRecords(records: readonly CacheRecord[]): CacheRecord {
  const joined = <T>(fieldsOf: (record: CacheRecord) => Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(
      records.flatMap((record, i) =>
        Object.entries(fieldsOf(record)).map(([name, field]) => [`${String(i)}.${name}`, field]),
      ),
    );
  return { counts: joined(({ counts }) => counts), arrays: joined(({ arrays }) => arrays) };
}

/** The record of cache `index` of those that were joined. */
export function partOfRecord({ counts, arrays }: CacheRecord, index: number): CacheRecord {
  const prefix = `${String(index)}.`;
  const own = <T>(fields: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(
      Object.entries(fields)
        .filter(([name]) => name.startsWith(prefix))
        .map(([name, field]) => [name.slice(prefix.length), field]),
    );
  return { counts: own(counts), arrays: own(arrays) };
}
