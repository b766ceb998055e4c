// Which device runs the models, its number type, and how a CPU runs a long pass: on several cores.
// Each product runs in one thread, and MLX runs each stream in a thread of its own, which sleeps while it waits: no
// thread spins for one that does not run.
import { cpus } from 'node:os';
import { InputError } from '../../rules/inputError';
import { core, hasGpu, gpuFacts, type Dtype, type Stream, type MlxMemory } from './binding';

export type DeviceName = 'cpu' | 'gpu';

export interface Device {
  readonly name: DeviceName;
  /** float32 on the CPU, where half-precision products abort the process; bfloat16 on Metal, unless told otherwise. */
  readonly dtype: Dtype;
  /** Quantised products are fast on Metal; on the CPU they are slow and inexact, so weights are expanded. */
  readonly keepsQuantised: boolean;
}

/** Makes `name` the device of all later operations, of whatever model. */
export function useDevice(name: DeviceName): void {
  core.setDefaultDevice(name === 'gpu' ? core.gpu : core.cpu);
}

/**
 * Like `useDevice`, when there is such a device; the GPU is the default where there is one. `strict`: it computes in
 * float32, in which the number of rows of a pass hardly ever decides between two tokens.
 */
export function selectDevice(name?: DeviceName, strict = false): Device {
  if (name === 'gpu' && !hasGpu) {
    throw new InputError({
      expected: 'a Metal GPU',
      got: `none on ${process.platform}-${process.arch}`,
      remedy: 'choose the CPU as the device',
      command: '--device cpu',
    });
  }
  const chosen = name ?? (hasGpu ? 'gpu' : 'cpu');
  useDevice(chosen);
  return chosen === 'gpu'
    ? { name: chosen, dtype: strict ? core.float32 : core.bfloat16, keepsQuantised: true }
    : { name: chosen, dtype: core.float32, keepsQuantised: false };
}

/**
 * The same for a drafter: float32 on chips that have no units for bfloat16. Published for such a Mac: 1.39 times plain in
 * float32, 1.20 in bfloat16. `chip` is the system's name for it.
 */
export function drafterDevice(device: Device, chip = cpus()[0]?.model ?? ''): Device {
  const isSlow = device.name === 'gpu' && /^Apple M[12]\b/.test(chip);
  return isSlow ? { ...device, dtype: core.float32 } : device;
}

/** Fewer rows per stream would take as long as this many: most of the time goes into reading the weights. */
const FEWEST_ROWS = 32;
/** More than two cores need: more threads get a larger share of a busy machine (docs/internals/results.md). */
const MOST_STREAMS = 4;

const streams: Stream[] = [];

/**
 * Calls `run` for consecutive parts [from, to) of `rows` and returns its results. Each part computes in a stream of
 * its own; if one needs what another computes, MLX waits for it. A GPU takes all rows at once.
 */
export function inStreams<T>(
  { name }: Pick<Device, 'name'>,
  rows: number,
  run: (from: number, to: number) => T,
): T[] {
  const count = name === 'gpu' ? 1 : Math.max(1, Math.min(MOST_STREAMS, Math.floor(rows / FEWEST_ROWS)));
  if (count === 1) return [run(0, rows)];
  try {
    return Array.from({ length: count }, (_, i) => {
      core.setDefaultStream(streamAt(i));
      return run(Math.round((i * rows) / count), Math.round(((i + 1) * rows) / count));
    });
  } finally {
    core.setDefaultStream(streamAt(0));
  }
}

function streamAt(index: number): Stream {
  return (streams[index] ??= index === 0 ? core.defaultStream(core.cpu) : core.newStream(core.cpu));
}

// What MLX keeps of freed buffers on a GPU, to use them again: without a limit it grew to 28 GB in 50 short decodes of
// a 4B model, none of it in use. Knows nothing of arrays and models.

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
