// Tracks and frees arrays; no other file frees them. node-mlx has neither tidy nor dispose, and V8 does not see the
// bytes of an array, so every array that ops.ts makes is tracked here and freed when its scope ends.
import { core } from './binding';
import type { MxArray } from './addonTypes';
import { canCollect } from './garbageCollection';

/** Arrays, or arrays nested in lists and plain objects; numbers, texts and functions pass through. */
export type Tree =
  | MxArray
  | number
  | string
  | undefined
  | (() => unknown)
  | readonly Tree[]
  | { readonly [key: string]: Tree };

/**
 * A scope leaves its arrays to V8's collector if their number is between these two. Fewer are faster to free one by
 * one; with more, V8 already collects during the scope, and minor collections skip arrays that have survived two of
 * them.
 */
const MIN_RELEASED = 64;
const MAX_RELEASED = 4096;

/** Scalar that replaces the contents of a freed array. */
const ZERO = new core.array(0);
core.eval(ZERO);

/** The nested scopes of a process. Arrays are built on one thread, so a process has one of these. */
class ArrayScopes {
  /** Arrays of the innermost scope. */
  #open: MxArray[] | undefined;
  /** Arrays given to `keep`, until their scope ends. */
  readonly #escaped = new WeakSet<MxArray>();
  /** Number of tracked arrays that are neither freed nor left to the collector. */
  #live = 0;
  /** Whether a scope has left arrays to the collector since `takeReleased`. */
  #hasReleased = false;

  get live(): number {
    return this.#live;
  }

  track(array: MxArray): MxArray {
    this.#live += 1;
    this.#open?.push(array);
    return array;
  }

  run<T extends Tree>(build: () => T, end: (spent: readonly MxArray[]) => void): T {
    const outer = this.#open;
    const opened: MxArray[] = (this.#open = []);
    let result: T | undefined;
    try {
      result = build();
      return result;
    } finally {
      this.#open = outer;
      const kept = new Set(arraysIn(result));
      const spent: MxArray[] = [];
      for (const array of opened) {
        if (this.#escaped.delete(array)) continue;
        if (kept.has(array)) outer?.push(array);
        else spent.push(array);
      }
      end(spent);
    }
  }

  keep(array: MxArray): void {
    if (this.#open !== undefined) this.#escaped.add(array);
  }

  free(arrays: readonly MxArray[]): void {
    this.#live -= arrays.length;
    // Replacing the whole array by a scalar drops its buffer immediately.
    for (const array of arrays) array.indexPut_(null, ZERO);
  }

  /** Frees arrays immediately or, if there are many, leaves them to a collection before the next evaluation. */
  release(arrays: readonly MxArray[]): void {
    const isMany = arrays.length >= MIN_RELEASED && arrays.length <= MAX_RELEASED;
    if (!canCollect || !isMany) {
      this.free(arrays);
      return;
    }
    this.#live -= arrays.length;
    this.#hasReleased = true;
  }

  takeReleased(): boolean {
    const hasReleased = this.#hasReleased;
    this.#hasReleased = false;
    return hasReleased;
  }
}

const scopes = new ArrayScopes();

/** Registers a new array with the innermost open scope. Called by ops.ts for each result. */
export function track(array: MxArray): MxArray {
  return scopes.track(array);
}

/**
 * Runs `build` and frees every array it made, except those it returns and those given to `keep`. Returned arrays pass
 * to the enclosing scope; without one, the caller disposes them. Freeing happens before evaluation, so MLX can reuse
 * the buffers. Synchronous on purpose: two overlapping asynchronous scopes would free each other's arrays.
 */
export function scope<T extends Tree>(build: () => T): T {
  return scopes.run(build, (spent) => scopes.release(spent));
}

/** Runs a scope whose arrays are freed immediately, however many: for large ones whose evaluation begins right away. */
export function largeScope<T extends Tree>(build: () => T): T {
  return scopes.run(build, (spent) => scopes.free(spent));
}

/** Takes an array out of all open scopes: its new owner (a cache, a model) disposes it. */
export function keep(array: MxArray): MxArray {
  scopes.keep(array);
  return array;
}

/** Frees arrays immediately. Graphs that use them still work; reading the arrays themselves afterwards is a defect. */
export function dispose(...trees: readonly Tree[]): void {
  scopes.free(arraysIn(trees));
}

/** Returns whether scopes have left arrays to the collector since the last call. */
export function takeReleased(): boolean {
  return scopes.takeReleased();
}

/**
 * Returns the number of tracked arrays that are neither freed nor left to the collector. A decode must not change it.
 */
export function liveArrays(): number {
  return scopes.live;
}

/** Lists all arrays in lists and plain objects; an array that occurs twice is listed twice. */
export function arraysIn(tree: unknown): MxArray[] {
  if (typeof tree !== 'object' || tree === null) return [];
  if (tree instanceof core.array) return [tree];
  return Object.values(tree).flatMap(arraysIn);
}
