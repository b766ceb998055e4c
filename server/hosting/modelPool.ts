// Holds the models in memory, shared by all connections of a process. Loads a pair once for all its leases, one pair
// after another, and frees it when its last lease ends. If clients name different pairs, several are in memory. Timers
// here do not keep the process alive.
import type { MemoryPressure } from '../machine/memoryPressure';
import { createModel, newModelMemory, type LoadedEngine, type Model, type ModelMemory } from './model';
import type { PairName } from './pairName';
import { PooledPair, type LeaseHolder } from './pooledPair';

/** A pair during its load: reports to its leases, and knows whether one of them still waits. */
export type LoadObserver = Pick<PooledPair, 'onProgress' | 'log' | 'isHeld'>;

export type LoadModel = (name: PairName, observer: LoadObserver) => Promise<LoadedEngine>;

/** Loads the models of a pair, and identifies pairs. The pool decides when. */
export interface ModelLoader {
  readonly load: LoadModel;
  /** Identifies a pair without loading it. Throws UserError for one that cannot be loaded. */
  readonly identify: (name: PairName) => string;
  /** Rejects with the reason if the remote engine of a name cannot be used. */
  readonly reach: (name: PairName) => Promise<void>;
}

const MEMORY_CHECK_MS = 15_000;
/** Pause before another pair is loaded: windows release the old pair one by one, and it has to be freed first. */
const SWITCH_MS = 300;

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
    readonly loader: ModelLoader,
    private readonly memoryPressure: () => Promise<MemoryPressure>,
  ) {}

  /**
   * Leases a pair until it is released or fails to load. Throws UserError if settings or files show that it cannot be
   * loaded.
   */
  lease(name: PairName, holder: LeaseHolder): PooledPair {
    const id = this.loader.identify(name);
    const pair = this.#pairs.get(id) ?? this.#add(id, name);
    pair.hold(holder);
    return pair;
  }

  /** Ends a lease. Resolves when the pair is freed, or immediately if it has other leases or has yet to be loaded. */
  async release(pair: PooledPair, holder: LeaseHolder): Promise<void> {
    pair.release(holder);
    await this.#freeUnlessHeld(pair);
  }

  /** Forgets the earlier suggestions of all pairs in a document. */
  forget(uri: string): void {
    for (const { recent } of this.#memories.values()) recent.forget(uri);
  }

  /** Adds a pair, and queues its load after those of other pairs. */
  #add(id: string, name: PairName): PooledPair {
    const pair = new PooledPair(id, (added) => {
      const load = (): Promise<Model> => this.#load(added, name);
      return this.#lastLoad.then(load, load);
    });
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
    const loaded = await this.loader.load(name, pair);
    const memory = this.#memories.get(pair.id) ?? newModelMemory();
    this.#memories.set(pair.id, memory);
    pair.onLoaded(loaded);
    return createModel(pair.id, loaded, memory);
  }

  /** Waits until released pairs are freed: two pairs do not always fit into memory. */
  async #awaitFreed(pair: PooledPair): Promise<void> {
    if ([...this.#pairs.values()].some((pooled) => pooled !== pair && pooled.isLoaded))
      await new Promise((resolve) => setTimeout(resolve, SWITCH_MS).unref());
    while (this.#freeing.size > 0) await Promise.all(this.#freeing);
  }

  async #freeUnlessHeld(pair: PooledPair): Promise<void> {
    if (!pair.isLoaded || pair.isHeld) return;
    this.#pairs.delete(pair.id);
    const freed = pair.free();
    this.#freeing.add(freed);
    await freed;
    this.#freeing.delete(freed);
  }

  /** Polls the memory pressure while there are pairs. */
  #watchMemory(): void {
    if (this.#isWatchingMemory || this.#pairs.size === 0) return;
    this.#isWatchingMemory = true;
    setTimeout(() => {
      void this.memoryPressure().then((pressure) => {
        this.#isWatchingMemory = false;
        for (const pair of this.#pairs.values()) pair.adaptTo(pressure);
        this.#watchMemory();
      });
    }, MEMORY_CHECK_MS).unref();
  }
}

function requireHolder(pair: PooledPair): void {
  if (!pair.isHeld) throw new Error('Model load cancelled: no client is waiting.');
}
