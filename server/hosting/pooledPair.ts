// A leased pair: its model, the leases that hold it, and the size of its prompt cache. Only the pool adds and removes
// leases and frees it.
import type { CacheBudget } from '../engine/engine';
import type { MemoryPressure } from '../machine/memoryPressure';
import { failureLine } from '../rules/failure';
import { scaleBudget } from './cacheBudget';
import { isOnOtherMachine, type LoadedEngine, type Model } from './model';

/** A holder of a lease, as far as the pool needs it. */
export interface LeaseHolder {
  /** Memory for cached prompts in its settings; the largest budget of all holders counts. */
  readonly cacheBudget: CacheBudget;
  /**
   * Time (ms, of `performance.now`) at which its model became ready or its last request ended; Infinity while a request
   * runs.
   */
  readonly lastUse: number;
  /** Number of outputs for which its requests wait. */
  readonly waitingCount: number;
  /** Called with 0 to 1 while the pair is loading. */
  readonly onProgress: (fraction: number) => void;
  /** Called when memory is too low to keep an unused pair; the holder must then release the pair. */
  readonly onMemoryLow: () => void;
  readonly log: (line: string) => void;
}

/** Time after a request during which its pair counts as used: the next key is likely to cause another request. */
const STILL_USED_MS = 10_000;
/** Time after a use until measurements are stored. Storing does not wait for the exit, as processes can be killed. */
const REMEMBER_AFTER_MS = 10_000;
/** Factor of the cache budget while memory is low. */
const LOW_MEMORY_FACTOR = 0.5;

export class PooledPair {
  /** Model of the pair; rejects if it cannot be loaded. */
  readonly model: Promise<Model>;
  readonly #holders = new Set<LeaseHolder>();
  /** Last lease holder; receives errors when no lease is left. */
  #lastHolder: LeaseHolder | undefined;
  /** Loaded engine; undefined until the load has ended, and once the pair is being freed. */
  #loaded: LoadedEngine | undefined;
  /** Progress of the load, from 0 to 1. */
  #progress = 0;
  /** Factor of the holders' largest `cacheBudget`; below 1 while memory is low. */
  #cacheFactor = 1;
  #rememberTimer: NodeJS.Timeout | undefined;

  /** `load` starts to load the pair, and resolves with its model. */
  constructor(
    readonly id: string,
    load: (pair: PooledPair) => Promise<Model>,
  ) {
    this.model = load(this);
  }

  get isLoaded(): boolean {
    return this.#loaded !== undefined;
  }

  /** Whether a lease holds the pair. */
  get isHeld(): boolean {
    return this.#holders.size > 0;
  }

  /** Whether no request of any holder waits for its output. */
  get isIdle(): boolean {
    return [...this.#holders].every(({ waitingCount }) => waitingCount === 0);
  }

  /** Adds a lease. */
  hold(holder: LeaseHolder): void {
    this.#holders.add(holder);
    if (this.#loaded) this.resizeCache();
    else holder.onProgress(this.#progress);
  }

  /** Removes a lease. */
  release(holder: LeaseHolder): void {
    this.#holders.delete(holder);
    this.#lastHolder = holder;
    this.resizeCache();
  }

  /** Reports the progress of the load to all holders. */
  onProgress(fraction: number): void {
    this.#progress = fraction;
    for (const holder of this.#holders) holder.onProgress(fraction);
  }

  /** Takes the loaded engine, and sizes its prompt cache. */
  onLoaded(loaded: LoadedEngine): void {
    this.#loaded = loaded;
    this.resizeCache();
  }

  /** Stores measurements and frees the engine. */
  async free(): Promise<void> {
    const loaded = this.#loaded;
    this.#loaded = undefined;
    loaded?.remember();
    await loaded?.engine.dispose().catch((error: unknown) => {
      this.#lastHolder?.log(failureLine('freeing the models', error));
    });
  }

  /** Resizes the prompt cache to the largest budget of the holders. */
  resizeCache(): void {
    const budgets = [...this.#holders].map(({ cacheBudget }) => cacheBudget);
    const [largest] = budgets.sort((a, b) => b.bytes - a.bytes);
    if (largest) this.#loaded?.engine.resizeCache(scaleBudget(largest, this.#cacheFactor));
  }

  /** Stores measurements some time after a use of the pair, unless another use follows. */
  used(): void {
    clearTimeout(this.#rememberTimer);
    this.#rememberTimer = setTimeout(() => {
      this.#loaded?.remember();
    }, REMEMBER_AFTER_MS).unref();
  }

  /** Logs a line to all holders. */
  log(line: string): void {
    for (const holder of this.#holders) holder.log(line);
  }

  /** Shrinks the cache while memory is low. Under critical pressure, makes the holders of an unused pair release it. */
  adaptTo(pressure: MemoryPressure): void {
    if (!this.#loaded || isOnOtherMachine(this.#loaded.engine)) return;
    const usedSince = performance.now() - STILL_USED_MS;
    const isUnused = [...this.#holders].every(({ lastUse }) => lastUse <= usedSince);
    const isUnloading = pressure === 'critical' && isUnused;
    const factor = pressure === 'normal' ? 1 : isUnloading ? 0 : LOW_MEMORY_FACTOR;
    if (factor === this.#cacheFactor) return;
    this.#cacheFactor = factor;
    if (isUnloading) {
      for (const holder of this.#holders) holder.onMemoryLow();
      return;
    }
    // A smaller budget alone can free nothing, so all prompts cached so far are dropped.
    if (factor < 1) this.#loaded.engine.resizeCache({ bytes: 0 });
    this.resizeCache();
    this.log(
      `memory is ${factor < 1 ? 'low: dropped the cached prompts, and fewer are kept from now on' : 'no longer low'}`,
    );
  }
}
