// The buffers that MLX keeps on a GPU after they were freed, to use them again. Without a limit they grew to 32 GB in
// 50 decodes of a 4B model, none of them in use (docs/internals/results.md).
import { peakResidentBytes } from '../../machine/peakMemory';
import { core, gpuFacts, hasGpu } from './binding';
import type { MlxMemory } from './addonTypes';

/** Maximum bytes of kept buffers, as a share of the bytes in use after loading, which are mostly weights. */
const SHARE = 1 / 4;
/** Bounds of that limit: the bytes that a step of a small and of a large model frees and allocates again. */
const MIN_BYTES = 64e6;
const MAX_BYTES = 512e6;

export class BufferCache {
  #peak = 0;

  constructor(
    private readonly memory: MlxMemory,
    /** Bytes that the GPU can use without slowing the system down; undefined if MLX does not say. */
    readonly workingSetBytes?: number,
  ) {
    this.trim();
  }

  /**
   * Returns unused buffers to the system and sets the limit for later ones by the bytes now in use. Call it when models
   * were loaded or freed, and when memory is short.
   */
  trim(): void {
    this.observe();
    this.memory.clearCache();
    const limit = SHARE * this.memory.getActiveMemory();
    const maxBytes = Math.min(MAX_BYTES, this.freeBytes ?? Infinity);
    this.memory.setCacheLimit(Math.round(Math.min(maxBytes, Math.max(MIN_BYTES, limit))));
  }

  /** Bytes of the working set that are not in use. */
  get freeBytes(): number | undefined {
    if (this.workingSetBytes === undefined) return undefined;
    return Math.max(0, this.workingSetBytes - this.memory.getActiveMemory());
  }

  /** Records the peak. Call it after each step: MLX's own peak does not count kept buffers. */
  observe(): void {
    this.#peak = Math.max(this.#peak, this.memory.getActiveMemory() + this.memory.getCacheMemory());
  }

  /** Peak of the bytes in use and kept. */
  get peakBytes(): number {
    return Math.max(this.#peak, this.memory.getPeakMemory());
  }
}

/** The cache of this process; undefined without a GPU, as on a CPU the C library keeps freed memory. */
export const bufferCache = hasGpu ? new BufferCache(core.metal, workingSet()) : undefined;

/** Returns the working set that Metal recommends, in bytes: two thirds to three quarters of all memory. */
function workingSet(): number | undefined {
  const bytes = gpuFacts()?.['max_recommended_working_set_size'];
  return typeof bytes === 'number' && bytes > 0 ? bytes : undefined;
}

/** Returns the peak bytes of MLX on a GPU, kept buffers included, or the peak resident size of the process on a CPU. */
export function peakMemoryBytes(): number {
  return bufferCache?.peakBytes ?? peakResidentBytes();
}
