// Holds the models in memory, shared by all connections of a process. Loads a pair once for all its leases, one pair at
// a time, and frees it with its last lease. If clients name different pairs, several are in memory. Timers here do not
// keep the process alive.
import type { CacheBudget } from '../engine/promptCache';
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

/** Loads the models of a pair; the pool decides when. */
export interface ModelLoader {
  readonly load: LoadModel;
  /** Identifies a pair without loading it. Throws UserError for one that cannot be loaded. */
  readonly identify?: (name: PairName) => string;
  /** Rejects with the reason if the remote engine cannot be used. */
  readonly reach?: (name: PairName) => Promise<void>;
}

/** Holder of a lease, as the pool sees it. */
export interface LeaseHolder {
  /** Memory it allows for cached prompts; the largest of all holders counts. */
  readonly cacheBudget: CacheBudget;
  /** Time at which it got the pair or its last request ended; Infinity while one runs. */
  readonly lastUse: number;
  /** Number of outputs that its requests await. */
  readonly waitingCount: number;
  /** Called with 0 to 1 while the pair is loading. */
  readonly onProgress: (fraction: number) => void;
  /** Called when memory is too low for an unused pair, which the holder must then release. */
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
  /** Loaded engine; undefined before the end of the load, and once it is being freed. */
  loaded?: LoadedEngine | undefined;
  progress: number;
  /** Share of the holders' `cacheBudget` in use; below 1 while memory is low. */
  cacheShare: number;
  rememberTimer?: NodeJS.Timeout;
}

const MEMORY_CHECK_MS = 15_000;
/** Pause before another pair loads: windows release the old pair one by one, and it is freed first. */
const SWITCH_MS = 300;
/** Time during which a pair counts as used after a request, as the next key is likely to cause another one. */
const STILL_USED_MS = 10_000;
/** Time without another use after which measurements are stored, as the process can be killed at any time. */
const REMEMBER_AFTER_MS = 10_000;
/** Share of the cache that is kept while memory is low. */
const LOW_MEMORY_SHARE = 0.5;

export class ModelPool {
  readonly #pairs = new Map<string, PooledPair>();
  /** Suggestions and prompt lengths by pair: a few kilobytes each, kept when the pair leaves memory. */
  readonly #memories = new Map<string, ModelMemory>();
  /** Pairs that are being freed. */
  readonly #freeing = new Set<Promise<void>>();
  #lastLoad: Promise<unknown> = Promise.resolve();
  #isWatchingMemory = false;

  /** `memoryPressure` is polled while a pair is in memory; it never rejects. */
  constructor(
    private readonly loader: ModelLoader,
    private readonly memoryPressure?: () => Promise<MemoryPressure>,
  ) {}

  /** Identifies a pair. Throws UserError for one that visibly cannot be loaded. */
  identify(name: PairName): string {
    const { target, drafter, drafterBits, device, strict, remote } = name;
    return (
      this.loader.identify?.(name) ?? JSON.stringify([target, drafter, drafterBits, device, strict, remote])
    );
  }

  /** Rejects with the reason if the remote engine cannot be used. */
  async reach(name: PairName): Promise<void> {
    await this.loader.reach?.(name);
  }

  /** Leases a pair, which must be released even if it fails to load. Throws as `identify` does. */
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
    if (!pair.holders.delete(holder)) return;
    pair.lastHolder = holder;
    this.resizeCache(pair);
    await this.#freeUnlessHeld(pair);
  }

  /** Resizes the prompt cache to the largest budget of the holders. */
  resizeCache({ holders, loaded, cacheShare }: PooledPair): void {
    const [largest] = [...holders].map(({ cacheBudget }) => cacheBudget).sort((a, b) => b.bytes - a.bytes);
    if (largest) loaded?.engine.resizeCache(scaleBudget(largest, cacheShare));
  }

  /** Stores measurements after a use of the pair, unless another one follows soon. */
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

  #add(id: string, name: PairName): PooledPair {
    // eslint-disable-next-line @typescript-eslint/no-use-before-define -- runs after the last load, never immediately
    const load = (): Promise<Model> => this.#load(pair, name);
    const pair: PooledPair = {
      id,
      model: this.#lastLoad.then(load, load),
      holders: new Set(),
      progress: 0,
      cacheShare: 1,
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

  /** Waits until released pairs are freed, as two pairs do not always fit into memory. */
  async #awaitFreed(pair: PooledPair): Promise<void> {
    if ([...this.#pairs.values()].some((other) => other !== pair && other.loaded))
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

  /** Stores measurements and frees the engine, even if storing fails. */
  async #free({ lastHolder }: PooledPair, { engine, remember }: LoadedEngine): Promise<void> {
    const onError = (error: unknown): void => lastHolder?.log(failureLine('freeing the models', error));
    try {
      remember();
    } catch (error) {
      onError(error);
    }
    await engine.dispose().catch(onError);
  }

  #watchMemory(): void {
    const { memoryPressure } = this;
    if (this.#isWatchingMemory || this.#pairs.size === 0 || !memoryPressure) return;
    this.#isWatchingMemory = true;
    setTimeout(() => {
      void memoryPressure().then((pressure) => {
        this.#isWatchingMemory = false;
        for (const pair of this.#pairs.values()) this.#adaptTo(pressure, pair);
        this.#watchMemory();
      });
    }, MEMORY_CHECK_MS).unref();
  }

  /** Shrinks the cache while memory is low. Under critical pressure, makes the holders of an unused pair release it. */
  #adaptTo(pressure: MemoryPressure, pair: PooledPair): void {
    if (!pair.loaded || isOnOtherMachine(pair.loaded.engine)) return;
    const stillUsed = performance.now() - STILL_USED_MS;
    const isUnused = [...pair.holders].every(({ lastUse }) => lastUse <= stillUsed);
    const isUnloading = pressure === 'critical' && isUnused;
    const share = pressure === 'normal' ? 1 : isUnloading ? 0 : LOW_MEMORY_SHARE;
    if (share === pair.cacheShare) return;
    pair.cacheShare = share;
    if (isUnloading) {
      for (const holder of pair.holders) holder.onMemoryLow();
      return;
    }
    if (share < 1) pair.loaded.engine.resizeCache({ bytes: 0 });
    this.resizeCache(pair);
    logToHolders(pair, `memory is ${share < 1 ? 'low: keeping fewer cached prompts' : 'no longer low'}`);
  }
}

function logToHolders({ holders }: PooledPair, line: string): void {
  for (const holder of holders) holder.log(line);
}

function requireHolder({ holders }: PooledPair): void {
  if (holders.size === 0) throw new Error('Model load cancelled: no client is waiting.');
}
