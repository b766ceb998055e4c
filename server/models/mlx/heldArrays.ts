// The arrays that weights own, while they are read and afterwards, so that none leaks when reading fails.
import type { MxArray } from './addonTypes';
import { bufferCache } from './bufferCache';
import { begin, evaluateAndGiveTurns } from './evaluation';
import { collectAll } from './garbageCollection';
import { arraysIn, dispose, keep, scope } from './memory';

/**
 * Bytes of arrays to evaluate at a time, views included: larger parts take less time, but messages wait for one part.
 */
const PART_BYTES = 2 ** 29;

export class HeldArrays {
  /** Every array that was handed out, final or intermediate; the models only borrow them. */
  readonly #held = new Set<MxArray>();

  /** Functions that drop references to the arrays from other objects. */
  readonly #onDispose: (() => void)[] = [];

  constructor(private readonly partBytes = PART_BYTES) {}

  /** Takes ownership of an array until all are disposed, or `make` or `remake` replaces it. */
  take(array: MxArray): MxArray {
    this.#held.add(array);
    return array;
  }

  /** Builds an array and disposes its sources. */
  make(sources: readonly MxArray[], build: () => MxArray): MxArray {
    const array = keep(scope(build));
    this.#free(sources);
    return this.take(array);
  }

  /** Rebuilds an object of arrays, and disposes the source arrays that the result does not use. */
  remake<T extends object>(sources: T, build: () => T): T {
    let made = sources;
    const arrays = scope(() => {
      made = build();
      return arraysIn(made);
    });
    for (const array of arrays) this.take(keep(array));
    this.#free(arraysIn(sources).filter((source) => !arrays.includes(source)));
    return made;
  }

  #free(arrays: readonly MxArray[]): void {
    dispose(arrays);
    for (const array of arrays) this.#held.delete(array);
  }

  /** Registers a function to call on disposal, which drops other references to the arrays. */
  onDispose(drop: () => void): void {
    this.#onDispose.push(drop);
  }

  /** Evaluates all arrays, the first part while the caller continues. `onProgress` is called with the fraction done. */
  async evaluateAll(onProgress?: (fraction: number) => void): Promise<void> {
    const parts = this.#parts();
    for (const [i, part] of parts.entries()) {
      begin(part);
      await evaluateAndGiveTurns(part);
      onProgress?.((i + 1) / parts.length);
    }
  }

  /** Groups the arrays into parts; waiting for a part blocks this thread. */
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

  /** Frees all arrays. */
  dispose(): void {
    this.#free([...this.#held]);
    for (const drop of this.#onDispose.splice(0)) drop();
    bufferCache?.trim();
    // Arrays that other objects hold are freed only when these objects are finalized, in the event loop.
    if (bufferCache) collectAll(() => bufferCache?.trim());
  }
}
