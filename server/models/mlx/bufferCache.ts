// The buffers that MLX keeps on a GPU after they were freed, to use them again. Without a limit they grew to 28 GB in 50
// short decodes of a 4B model, none of them in use.
import { core, gpuFacts, hasGpu } from './binding';
import type { MlxMemory } from './addonTypes';

/** Share of what is in use when a model is loaded, which is mostly its weights. */
const SHARE = 1 / 4;
/** What a step of a small model, and of a large one, frees and takes again. */
const LEAST_BYTES = 64e6;
const MOST_BYTES = 512e6;

export class BufferCache {
  #peak = 0;

  constructor(
    private readonly memory: MlxMemory,
    /** What the GPU may use without making the system slow; undefined where MLX does not say. */
    readonly workingSetBytes?: number,
  ) {
    this.trim();
  }

  /**
   * Gives back everything that is not in use, and limits what is kept from now on by what is in use. To be called when
   * models are loaded or freed, and when memory is short.
   */
  trim(): void {
    this.observe();
    this.memory.clearCache();
    const wanted = SHARE * this.memory.getActiveMemory();
    const most = Math.min(MOST_BYTES, this.freeBytes ?? Infinity);
    this.memory.setCacheLimit(Math.round(Math.min(most, Math.max(LEAST_BYTES, wanted))));
  }

  /** What the working set has left. */
  get freeBytes(): number | undefined {
    if (this.workingSetBytes === undefined) return undefined;
    return Math.max(0, this.workingSetBytes - this.memory.getActiveMemory());
  }

  /** To be called after each step: MLX itself only remembers the peak of what is in use. */
  observe(): void {
    this.#peak = Math.max(this.#peak, this.memory.getActiveMemory() + this.memory.getCacheMemory());
  }

  /** The peak of bytes in use and kept. */
  get peakBytes(): number {
    return Math.max(this.#peak, this.memory.getPeakMemory());
  }
}

/** Undefined without a GPU: on the CPU, the C library keeps what is freed. */
export const bufferCache = hasGpu ? new BufferCache(core.metal, workingSet()) : undefined;

/** As Metal recommends it: two thirds to three quarters of all memory. */
function workingSet(): number | undefined {
  const bytes = gpuFacts()?.['max_recommended_working_set_size'];
  return typeof bytes === 'number' && bytes > 0 ? bytes : undefined;
}
