// The arrays that weights own while they are read and afterwards, so that none is lost when reading fails.
// Knows neither names nor shapes.
import { bufferCache } from './bufferCache';
import { dispose, keep, scope, settle } from './memory';
import type { MxArray } from './mlxCore';

export class HeldArrays {
  /** Every array handed out; the models only borrow them. */
  readonly #kept: MxArray[] = [];
  /** Arrays whose final form is not yet made. */
  readonly #raw = new Set<MxArray>();
  #settled = 0;

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

  /** Evaluates what was kept since the last call. */
  async settle(): Promise<void> {
    await settle(this.#kept.slice(this.#settled));
    this.#settled = this.#kept.length;
  }

  dispose(): void {
    dispose(this.#kept.splice(0), [...this.#raw]);
    this.#raw.clear();
    bufferCache?.trim();
  }
}
