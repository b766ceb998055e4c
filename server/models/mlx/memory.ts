// The only place that frees or evaluates arrays. node-mlx has neither tidy nor dispose, and V8 does not
// see the bytes behind an array, so every array made by ops.ts is tracked here and freed when its scope ends.
import { core } from './binding';
import type { MxArray } from './addonTypes';
import { bufferCache } from './bufferCache';
import { peakResidentBytes } from '../../machine/thisMachine';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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
 * A message takes some turns of the event loop from the pipe to its handler, and so does an answer on its way back. A
 * turn without work takes a microsecond.
 */
const TURNS = 10;

/**
 * A scope with at least so many arrays leaves them to V8's collector. With very many, V8 collects during the
 * scope, too, and arrays that it has met twice count as old.
 */
const [LEAST_RELEASED, MOST_RELEASED] = [64, 4096];

/** Whether arrays wait for the collector. */
let released = false;

/** Whether parts of the coming evaluation are under way, and what tells that a part of a long pass is done. */
let begun = false;
let marks: MxArray[] = [];

let open: MxArray[] | undefined;
const escaped = new WeakSet<MxArray>();
let live = 0;

const ZERO = new core.array(0);
core.eval(ZERO);

/** Registers a new array with the innermost open scope. Called by ops.ts for each result. */
export function track(array: MxArray): MxArray {
  live += 1;
  open?.push(array);
  return array;
}

/**
 * Runs `build` and frees every array it made, except those it returns and those given to `keep`. Freeing happens
 * before evaluation, so MLX can reuse the buffers. Synchronous on purpose: two overlapping asynchronous scopes
 * would free each other's arrays.
 */
export function scope<T extends Tree>(build: () => T, releasing: typeof release = release): T {
  const outer = open;
  const mine: MxArray[] = (open = []);
  let result: T | undefined;
  try {
    result = build();
    return result;
  } finally {
    open = outer;
    const kept = new Set(arraysIn(result));
    const spent: MxArray[] = [];
    for (const array of mine) {
      if (escaped.delete(array)) continue;
      if (kept.has(array)) outer?.push(array);
      else spent.push(array);
    }
    releasing(spent);
  }
}

/** A scope whose arrays are freed at once, however many: what it made is large, and begins to be computed. */
export function largeScope<T extends Tree>(build: () => T): T {
  return scope(build, free);
}

/** Takes an array out of all open scopes: its new owner (a cache, a model) disposes it. */
export function keep(array: MxArray): MxArray {
  if (open !== undefined) escaped.add(array);
  return array;
}

/** Frees arrays at once. Graphs that still use them are not disturbed; reading them afterwards is a defect. */
export function dispose(...trees: readonly Tree[]): void {
  free(arraysIn(trees));
}

/** Begins to evaluate arrays while this thread continues; `settle` them before they are read. */
export function begin(...trees: readonly Tree[]): void {
  begun = true;
  core.asyncEval(...arraysIn(trees));
}

/**
 * The same for a part of a long pass: the evaluation of the rest gives the event loop turns when the part is done. `mark`
 * is one number of its results, which is read to know that.
 */
export function beginPart(part: MxArray, mark: () => MxArray): void {
  const read = keep(scope(mark));
  marks.push(read);
  begin(part, read);
}

/** Evaluates arrays, on this thread. */
export async function evaluate(...trees: readonly Tree[]): Promise<void> {
  const arrays = arraysIn(trees);
  // The rest of what is under way follows before V8 collects.
  if (begun) begin(arrays);
  begun = false;
  await collectReleased();
  await partsDone();
  core.eval(...arrays);
  bufferCache?.observe();
}

/** Gives the event loop some turns, in which messages arrive and finalizers run: the cancellation grain. */
export async function giveTurns(): Promise<void> {
  for (let i = 0; i < TURNS; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Both, for steps that are not measured in parts. */
export async function evaluateAsync(...trees: readonly Tree[]): Promise<void> {
  await evaluate(...trees);
  await giveTurns();
}

/** Number of tracked arrays not yet freed; a decode must leave it as it found it. */
export function liveArrays(): number {
  return live;
}

/**
 * Peak bytes that MLX has taken of a GPU, those that it keeps for reuse included, or the peak resident size on a CPU.
 */
export function peakMemoryBytes(): number {
  return bufferCache?.peakBytes ?? peakResidentBytes();
}

/** Frees arrays at once. */
function free(arrays: readonly MxArray[]): void {
  live -= arrays.length;
  // Replacing the whole array by a scalar drops its buffer in the same tick.
  for (const array of arrays) array.indexPut_(null, ZERO);
}

/** Frees the arrays of a scope, at once or, if there are many, before the next evaluation. */
function release(arrays: readonly MxArray[]): void {
  const isMany = arrays.length >= LEAST_RELEASED && arrays.length <= MOST_RELEASED;
  if (!collectYoung || !isMany) {
    free(arrays);
    return;
  }
  live -= arrays.length;
  released = true;
}

/** So that MLX finds no intermediates in use when it computes, and no views of the caches. */
async function collectReleased(): Promise<void> {
  if (!released) return;
  released = false;
  collectYoung?.();
  // Finalizers run in the event loop.
  await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Reading waits for one part; evaluating would wait for all that is under way. */
async function partsDone(): Promise<void> {
  const waiting = marks;
  marks = [];
  for (const mark of waiting) {
    mark.tolist();
    dispose(mark);
    await giveTurns();
  }
}

/** All arrays in lists and plain objects, as often as they are there. */
export function arraysIn(tree: unknown): MxArray[] {
  if (typeof tree !== 'object' || tree === null) return [];
  if (tree instanceof core.array) return [tree];
  return Object.values(tree).flatMap(arraysIn);
}

type Collect = (options?: { readonly type: 'minor' }) => void;

const collect = exposed();

/** Collects what has become garbage since the last collections but one; undefined where V8 does not offer it. */
const collectYoung = collect && (() => void collect({ type: 'minor' }));

/** Collects everything, and then calls `done`, once finalizers have run. */
function collectAll(done: () => void): void {
  collect?.();
  setImmediate(done);
}

function exposed(): Collect | undefined {
  try {
    setFlagsFromString('--expose-gc');
    // Young objects are few. V8 would wait for helper threads, three times as long on a busy machine.
    setFlagsFromString('--no-parallel-scavenge');
    const found: unknown = runInNewContext('globalThis.gc');
    return typeof found === 'function' ? (found as Collect) : undefined;
  } catch {
    return undefined;
  }
}

// The arrays that weights own, during reading and afterwards, so that none leaks when reading fails.
// Knows neither names nor shapes.

/** Arrays evaluated at a time, views included: larger parts take less time, but messages have to wait for one. */
const PART_BYTES = 2 ** 29;

export class HeldArrays {
  /** Every array handed out, in final form or on its way to it; the models only borrow them. */
  readonly #held = new Set<MxArray>();

  /** What holds arrays, too. */
  readonly #holders: (() => void)[] = [];

  constructor(private readonly partBytes = PART_BYTES) {}

  /** Takes over an array, until all are disposed or another is made from it. */
  take(array: MxArray): MxArray {
    this.#held.add(array);
    return array;
  }

  /** Builds an array from sources that are no longer needed afterwards. */
  make(sources: readonly MxArray[], build: () => MxArray): MxArray {
    const array = keep(scope(build));
    dispose(sources);
    for (const source of sources) this.#held.delete(source);
    return this.take(array);
  }

  /** The same of an object of arrays, some of which may stay as they are. */
  remake<T extends object>(sources: T, build: () => T): T {
    let made = sources;
    scope(() => arraysIn((made = build())));
    const [before, after] = [arraysIn(sources), arraysIn(made)];
    for (const array of after) this.take(keep(array));
    const spent = before.filter((array) => !after.includes(array));
    dispose(spent);
    for (const array of spent) this.#held.delete(array);
    return made;
  }

  /** Has `drop` called when the arrays are disposed: something else holds them, and ends with the next collection. */
  heldBy(drop: () => void): void {
    this.#holders.push(drop);
  }

  /** Evaluates everything held, the first part while the caller continues; reports the fraction that is done. */
  async evaluateAll(onProgress?: (fraction: number) => void): Promise<void> {
    const parts = this.#parts();
    for (const [i, part] of parts.entries()) {
      begin(part);
      await Promise.resolve();
      await evaluateAsync(part);
      onProgress?.((i + 1) / parts.length);
    }
  }

  /** Waiting for one blocks this thread. */
  #parts(): MxArray[][] {
    const parts: MxArray[][] = [];
    let room = 0;
    for (const array of this.#held) {
      if (room <= 0) {
        parts.push([]);
        room = this.partBytes;
      }
      parts.at(-1)?.push(array);
      room -= array.nbytes;
    }
    return parts;
  }

  dispose(): void {
    dispose([...this.#held]);
    this.#held.clear();
    for (const drop of this.#holders.splice(0)) drop();
    bufferCache?.trim();
    // What was held elsewhere is there until its holders are finalized, in the event loop.
    if (bufferCache) collectAll(() => bufferCache?.trim());
  }
}
