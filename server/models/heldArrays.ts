// The arrays that weights own while they are read and afterwards, so that none is lost when reading fails.
// Knows neither names nor shapes.
import { bufferCache } from './bufferCache';
import { begin, dispose, keep, scope, settle } from './memory';
import type { MxArray } from './mlxCore';

/** Evaluated at a time, views counted too: fewer and larger parts take less time, but messages wait for one. */
const PART_BYTES = 2 ** 29;

export class HeldArrays {
  /** Every array handed out; the models only borrow them. */
  readonly #kept: MxArray[] = [];
  /** Arrays whose final form is not yet made. */
  readonly #raw = new Set<MxArray>();

  constructor(private readonly partBytes = PART_BYTES) {}

  /** Takes over an array that is on its way to its final form. */
  take(array: MxArray): MxArray {
    this.#raw.add(array);
    return array;
  }

  /** Builds an array from sources that are no longer needed afterwards. Call `keep` for its final form. */
  make(sources: readonly MxArray[], build: () => MxArray): MxArray {
    const array = keep(scope(build));
    dispose(sources);
    for (const source of sources) this.#raw.delete(source);
    return this.take(array);
  }

  /** Keeps an array that has been taken over, until all are disposed. */
  keep(array: MxArray): MxArray {
    this.#raw.delete(array);
    this.#kept.push(array);
    return array;
  }

  /** Evaluates all that is kept, the first part of it while the caller goes on; tells which fraction is there. */
  async settle(onProgress?: (fraction: number) => void): Promise<void> {
    const parts = this.#parts();
    for (const [i, part] of parts.entries()) {
      begin(part);
      await Promise.resolve();
      await settle(part);
      onProgress?.((i + 1) / parts.length);
    }
  }

  /** Waiting for one blocks this thread. */
  #parts(): MxArray[][] {
    const parts: MxArray[][] = [];
    let room = 0;
    for (const array of this.#kept) {
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
    dispose(this.#kept.splice(0), [...this.#raw]);
    this.#raw.clear();
    bufferCache?.trim();
  }
}
