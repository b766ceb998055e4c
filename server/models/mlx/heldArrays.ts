// The arrays that weights own, during reading and afterwards, so that none leaks when reading fails.
// Knows neither names nor shapes.
import { bufferCache } from './bufferCache';
import { collectAll, arraysIn, begin, dispose, keep, scope, evaluateAsync } from './memory';
import type { MxArray } from './mlxCore';

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
