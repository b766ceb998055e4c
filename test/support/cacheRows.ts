// Rows for attention caches that can be told apart: row 7 is full of numbers made of 7, in keys and values.
// Knows nothing about how a cache keeps them.
import assert from 'node:assert/strict';
import type { CachedRows, KVCache } from '../../server/models/decoder/kvCache';
import { scope } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';
import { arrayOf, valuesOf } from './arrayValues';

export const SHAPE = { heads: 2, headDim: 3, dtype: mx.float32 };

/** Of all that a cache holds. */
export function bytesOf(cache: { arrays(): mx.MxArray[] }): number {
  return cache.arrays().reduce((sum, { nbytes }) => sum + nbytes, 0);
}

type Views = Readonly<Record<'keys' | 'values', number[]>>;

interface RowCache {
  append(keys: mx.MxArray, values: mx.MxArray): CachedRows;
}

/** Appends rows whose numbers are given; each fills [heads, headDim] in its own way. */
export function append(cache: RowCache, rows: readonly number[]): Views {
  return scope(() => numbersOf(cache.append(block(rows, 1), block(rows, -1))));
}

/** What the newest rows see, as layers that share the cache ask for it. */
export function seenBy(cache: KVCache, rows: number): Views {
  return scope(() => numbersOf(cache.seenBy(rows)));
}

function numbersOf({ keys, values }: CachedRows): Views {
  return { keys: valuesOf(keys), values: valuesOf(values) };
}

/** Keys (sign 1) or values (sign -1) [1, heads, rows, headDim]; call inside a scope. */
export function block(rows: readonly number[], sign: number): mx.MxArray {
  return arrayOf([1, SHAPE.heads, rows.length, SHAPE.headDim], contents(rows, sign));
}

export function contents(rows: readonly number[], sign: number): number[] {
  return Array.from({ length: SHAPE.heads }, (_, head) =>
    rows.flatMap((row) => Array.from({ length: SHAPE.headDim }, (_, d) => sign * (row + head / 2 + d / 8))),
  ).flat();
}

export function assertHolds(views: Views, rows: readonly number[]): void {
  assert.deepEqual(views, { keys: contents(rows, 1), values: contents(rows, -1) });
}

export const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
