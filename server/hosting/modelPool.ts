// Holds the models in memory, shared by all connections of a process. Loads a pair once for all its leases, one pair
// after another, and frees it when its last lease ends. If clients name different pairs, several are in memory. Timers
// here do not keep the process alive.
import type { CacheBudget } from '../engine/engine';
import type { MemoryPressure } from '../machine/machineState';
import { failureLine } from '../rules/userError';
import { scaleBudget } from './cacheBudget';
import {
  createModel,
  isOnOtherMachine,
  newModelMemory,
  type LoadedEngine,
  type Model,
  type ModelMemory,
} from './model';
import type { PairName } from './pairName';

/** Callbacks of the leases that wait for a load. */
export interface LoadCallbacks {
  readonly log: (line: string) => void;
  /** Returns whether a lease still waits for the load. */
  readonly hasClient: () => boolean;
}

export type LoadModel = (
  name: PairName,
  onProgress: (fraction: number) => void,
  callbacks?: LoadCallbacks,
) => Promise<LoadedEngine>;

/** Loads the models of a pair, and identifies pairs. The pool decides when. */
export interface ModelLoader {
  readonly load: LoadModel;
  /** Identifies a pair without loading it. Throws UserError for one that cannot be loaded. */
  readonly identify: (name: PairName) => string;
  /** Rejects with the reason if the remote engine of a name cannot be used. */
  readonly reach: (name: PairName) => Promise<void>;
}

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

/** A leased pair. Only the pool changes it. */
export interface PooledPair {
  readonly id: string;
  /** Model of the pair; rejects if it cannot be loaded. */
  readonly model: Promise<Model>;
  readonly holders: Set<LeaseHolder>;
  /** Last lease holder; receives errors when no lease is left. */
  lastHolder?: LeaseHolder;
  /** Loaded engine; undefined until the load has ended, and once the pair is being freed. */
  loaded?: LoadedEngine | undefined;
  /** Progress of the load, from 0 to 1. */
  progress: number;
  /** Factor of the holders' largest `cacheBudget`; below 1 while memory is low. */
  cacheFactor: number;
  rememberTimer?: NodeJS.Timeout;
}

const MEMORY_CHECK_MS = 15_000;
/** Pause before another pair is loaded: windows release the old pair one by one, and it has to be freed first. */
const SWITCH_MS = 300;
/** Time after a request during which its pair counts as used: the next key is likely to cause another request. */
const STILL_USED_MS = 10_000;
/** Time after a use until measurements are stored. Storing does not wait for the exit, as processes can be killed. */
const REMEMBER_AFTER_MS = 10_000;
/** Factor of the cache budget while memory is low. */
const LOW_MEMORY_FACTOR = 0.5;

export class ModelPool {
  readonly #pairs = new Map<string, PooledPair>();
  /** Suggestions and prompt lengths by pair, a few kilobytes each. They stay when the pair is freed. */
  readonly #memories = new Map<string, ModelMemory>();
  /** Pairs that are being freed. */
  readonly #freeing = new Set<Promise<void>>();
  #lastLoad: Promise<unknown> = Promise.resolve();
  #isWatchingMemory = false;

  /** `memoryPressure` is polled while a pair is in memory; it never rejects. */
  constructor(
    private readonly loader: ModelLoader,
    private readonly memoryPressure: () => Promise<MemoryPressure>,
  ) {}

  /** Identifies a pair. Throws UserError if settings or files show that it cannot be loaded. */
  identify(name: PairName): string {
    return this.loader.identify(name);
  }

  /** Rejects with the reason if the remote engine cannot be used. */
  async reach(name: PairName): Promise<void> {
    await this.loader.reach(name);
  }

  /** Leases a pair until it is released or fails to load. Throws as `identify` does. */
  lease(name: PairName, holder: LeaseHolder): PooledPair {
    const id = this.identify(name);
    const pair = this.#pairs.get(id) ?? this.#add(id, name);
    pair.holders.add(holder);
    if (pair.loaded) this.resizeCache(pair);
    else holder.onProgress(pair.progress);
    return pair;
  }

  /** Resolves when the pair is freed, or immediately if it has other leases or has yet to be loaded. */
  async release(pair: PooledPair, holder: LeaseHolder): Promise<void> {
    pair.holders.delete(holder);
    pair.lastHolder = holder;
    this.resizeCache(pair);
    await this.#freeUnlessHeld(pair);
  }

  /** Resizes the prompt cache to the largest budget of the holders. */
  resizeCache({ holders, loaded, cacheFactor }: PooledPair): void {
    const [largest] = [...holders].map(({ cacheBudget }) => cacheBudget).sort((a, b) => b.bytes - a.bytes);
    if (largest) loaded?.engine.resizeCache(scaleBudget(largest, cacheFactor));
  }

  /** Stores measurements some time after a use of the pair, unless another use follows. */
  used(pair: PooledPair): void {
    clearTimeout(pair.rememberTimer);
    pair.rememberTimer = setTimeout(() => {
      pair.loaded?.remember();
    }, REMEMBER_AFTER_MS).unref();
  }

  /** Forgets the earlier suggestions of all pairs in a document. */
  forget(uri: string): void {
    for (const { recent } of this.#memories.values()) recent.forget(uri);
  }

  /** Adds a pair, and queues its load after those of other pairs. */
  #add(id: string, name: PairName): PooledPair {
    // eslint-disable-next-line @typescript-eslint/no-use-before-define -- runs after the last load, never immediately
    const load = (): Promise<Model> => this.#load(pair, name);
    const pair: PooledPair = {
      id,
      model: this.#lastLoad.then(load, load),
      holders: new Set(),
      progress: 0,
      cacheFactor: 1,
    };
    this.#lastLoad = pair.model;
    void pair.model.then(
      () => this.#freeUnlessHeld(pair),
      () => this.#pairs.delete(id),
    );
    this.#pairs.set(id, pair);
    this.#watchMemory();
    return pair;
  }

  async #load(pair: PooledPair, name: PairName): Promise<Model> {
    requireHolder(pair);
    await this.#awaitFreed(pair);
    requireHolder(pair);
    const onProgress = (fraction: number): void => {
      pair.progress = fraction;
      for (const holder of pair.holders) holder.onProgress(fraction);
    };
    const loaded = await this.loader.load(name, onProgress, {
      log: (line) => {
        logToHolders(pair, line);
      },
      hasClient: () => pair.holders.size > 0,
    });
    const memory = this.#memories.get(pair.id) ?? newModelMemory();
    this.#memories.set(pair.id, memory);
    pair.loaded = loaded;
    this.resizeCache(pair);
    return createModel(pair.id, loaded, memory);
  }

  /** Waits until released pairs are freed: two pairs do not always fit into memory. */
  async #awaitFreed(pair: PooledPair): Promise<void> {
    if ([...this.#pairs.values()].some((pooled) => pooled !== pair && pooled.loaded))
      await new Promise((resolve) => setTimeout(resolve, SWITCH_MS).unref());
    while (this.#freeing.size > 0) await Promise.all(this.#freeing);
  }

  async #freeUnlessHeld(pair: PooledPair): Promise<void> {
    const { id, holders, loaded } = pair;
    if (!loaded || holders.size > 0) return;
    pair.loaded = undefined;
    this.#pairs.delete(id);
    const freed = this.#free(pair, loaded);
    this.#freeing.add(freed);
    await freed;
    this.#freeing.delete(freed);
  }

  /** Stores measurements and frees the engine. */
  async #free({ lastHolder }: PooledPair, { engine, remember }: LoadedEngine): Promise<void> {
    remember();
    await engine.dispose().catch((error: unknown) => {
      lastHolder?.log(failureLine('freeing the models', error));
    });
  }

  /** Polls the memory pressure while there are pairs. */
  #watchMemory(): void {
    if (this.#isWatchingMemory || this.#pairs.size === 0) return;
    this.#isWatchingMemory = true;
    setTimeout(() => {
      void this.memoryPressure().then((pressure) => {
        this.#isWatchingMemory = false;
        for (const pair of this.#pairs.values()) this.#adaptTo(pressure, pair);
        this.#watchMemory();
      });
    }, MEMORY_CHECK_MS).unref();
  }

  /** Shrinks the cache while memory is low. Under critical pressure, makes the holders of an unused pair release it. */
  #adaptTo(pressure: MemoryPressure, pair: PooledPair): void {
    if (!pair.loaded || isOnOtherMachine(pair.loaded.engine)) return;
    const usedSince = performance.now() - STILL_USED_MS;
    const isUnused = [...pair.holders].every(({ lastUse }) => lastUse <= usedSince);
    const isUnloading = pressure === 'critical' && isUnused;
    const factor = pressure === 'normal' ? 1 : isUnloading ? 0 : LOW_MEMORY_FACTOR;
    if (factor === pair.cacheFactor) return;
    pair.cacheFactor = factor;
    if (isUnloading) {
      for (const holder of pair.holders) holder.onMemoryLow();
      return;
    }
    // A smaller budget alone can free nothing, so all prompts cached so far are dropped.
    if (factor < 1) pair.loaded.engine.resizeCache({ bytes: 0 });
    this.resizeCache(pair);
    logToHolders(
      pair,
      `memory is ${factor < 1 ? 'low: dropped the cached prompts, and fewer are kept from now on' : 'no longer low'}`,
    );
  }
}

function logToHolders({ holders }: PooledPair, line: string): void {
  for (const holder of holders) holder.log(line);
}

function requireHolder({ holders }: PooledPair): void {
  if (holders.size === 0) throw new Error('Model load cancelled: no client is waiting.');
}
