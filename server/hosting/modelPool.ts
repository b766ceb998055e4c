// The models in memory, shared by all connections of a process. Loads a pair once for all who need it, one pair at a
// time; probes it once, and frees it with its last lease. Two are in memory when clients name different ones. Its
// timers do not keep the process alive.
import type { CacheBudget } from '../engine/promptCache';
import { failureLine } from '../rules/inputError';
import type { MemoryPressure } from '../machine/machineState';
import { totalMemory } from '../machine/thisMachine';
import { isElsewhere } from './localModel';
import type { LoadedFiles, UsableModel, Leaseholder, LoadModel, PairChoice, PooledPair } from './loadedModel';
import { newLasting, usableModel, type Lasting } from './usableModel';
import type { ServerSettings } from '../rules/serverSettings';

export interface PoolParts {
  readonly load: LoadModel;
  /** What identifies a pair, found without loading it. Throws InputError for one that cannot be loaded. */
  readonly identify?: (choice: PairChoice) => string;
  /** Whether the remote engine of a choice can be used; rejects with the reason if not. */
  readonly reach?: (choice: PairChoice) => Promise<void>;
  /** Polled while something is in memory; never rejects. */
  readonly memoryPressure?: () => Promise<MemoryPressure>;
}

/** Interval between checks of the memory pressure. */
const LOOK_MS = 15_000;
/** Windows learn of changed settings one by one; the pair that all of them give back is freed before they load. */
const SWITCH_MS = 300;
/** A client that made a request this recently is likely to make another one with the next key. */
const STILL_USED_MS = 10_000;
/** After this long without another use, what was learned is stored, as the process may be killed at any time. */
const REMEMBER_AFTER_MS = 10_000;
/** The share of the cache that is kept while memory is low. */
const SHORT_SHARE = 0.5;

export class ModelPool {
  readonly #pairs = new Map<string, PooledPair>();
  /** Of each pair: a few kilobytes, which stay when it leaves memory. */
  readonly #lasting = new Map<string, Lasting>();
  /** Pairs that are being freed. */
  readonly #leaving = new Set<Promise<void>>();
  #lastLoad: Promise<unknown> = Promise.resolve();
  #isWatching = false;

  constructor(private readonly parts: PoolParts) {}

  /** The name of a pair. Throws InputError for one that, as far as can be told without loading it, cannot be loaded. */
  identify(choice: PairChoice): string {
    const { target, drafter, drafterBits, device, strict, remote } = choice;
    const named = [target, drafter, drafterBits, device, strict, remote];
    return this.parts.identify?.(choice) ?? JSON.stringify(named);
  }

  /** Rejects with the reason if the remote engine of a choice cannot be used. */
  async reach(choice: PairChoice): Promise<void> {
    await this.parts.reach?.(choice);
  }

  /** Must be given back even if the model fails to load. Throws like `identify`. */
  lease(choice: PairChoice, holder: Leaseholder): PooledPair {
    const name = this.identify(choice);
    const pair = this.#pairs.get(name) ?? this.#add(name, choice);
    pair.holders.add(holder);
    if (pair.loaded) this.resizeCache(pair);
    else holder.onProgress(pair.progress);
    return pair;
  }

  /** Resolves when the pair is freed, or at once if somebody else needs it or it has yet to be loaded. */
  async release(pair: PooledPair, holder: Leaseholder): Promise<void> {
    if (!pair.holders.delete(holder)) return;
    pair.last = holder;
    this.resizeCache(pair);
    await this.#freeUnlessHeld(pair);
  }

  /** Resizes the cache of what was read to what the holders now allow. */
  resizeCache({ holders, loaded, cacheShare }: PooledPair): void {
    const [largest] = [...holders].map(({ cacheBudget }) => cacheBudget).sort((a, b) => b.bytes - a.bytes);
    if (largest) loaded?.engine.resizeCache(shareOf(largest, cacheShare));
  }

  /** A use of the pair has ended; if none follows for a while, what was learned is stored. */
  used(pair: PooledPair): void {
    clearTimeout(pair.timer);
    pair.timer = setTimeout(() => {
      pair.loaded?.remember();
    }, REMEMBER_AFTER_MS).unref();
  }

  /** Earlier suggestions are not shown again in that document. */
  forget(uri: string): void {
    for (const { recent } of this.#lasting.values()) recent.forget(uri);
  }

  #add(name: string, choice: PairChoice): PooledPair {
    // eslint-disable-next-line @typescript-eslint/no-use-before-define -- runs after the last load, never at once
    const load = (): Promise<UsableModel> => this.#load(pair, choice);
    const pair: PooledPair = {
      name,
      model: this.#lastLoad.then(load, load),
      holders: new Set(),
      progress: 0,
      cacheShare: 1,
    };
    this.#lastLoad = pair.model;
    void pair.model.then(
      () => this.#freeUnlessHeld(pair),
      () => this.#pairs.delete(name),
    );
    this.#pairs.set(name, pair);
    this.#watch();
    return pair;
  }

  async #load(pair: PooledPair, choice: PairChoice): Promise<UsableModel> {
    requireHolder(pair);
    await this.#othersLeft(pair);
    requireHolder(pair);
    const files = await this.#read(pair, choice);
    const lasting = this.#lasting.get(pair.name) ?? newLasting();
    this.#lasting.set(pair.name, lasting);
    pair.loaded = files;
    this.resizeCache(pair);
    return usableModel(pair.name, files, lasting);
  }

  /** Two pairs may not fit into memory, so one that is leaving is freed first. */
  async #othersLeft(pair: PooledPair): Promise<void> {
    if ([...this.#pairs.values()].some((each) => each !== pair && each.loaded))
      await new Promise((resolve) => setTimeout(resolve, SWITCH_MS).unref());
    while (this.#leaving.size > 0) await Promise.all(this.#leaving);
  }

  async #read(pair: PooledPair, choice: PairChoice): Promise<LoadedFiles> {
    const onProgress = (fraction: number): void => {
      pair.progress = fraction;
      for (const holder of pair.holders) holder.onProgress(fraction);
    };
    const watch = {
      log: (line: string) => pair.holders.forEach((holder) => holder.log(line)),
      isWanted: () => pair.holders.size > 0,
    };
    return await this.parts.load(choice, onProgress, watch);
  }

  /** Stores what was learned by then. */
  async #freeUnlessHeld(pair: PooledPair): Promise<void> {
    const { name, holders, loaded } = pair;
    if (!loaded || holders.size > 0) return;
    pair.loaded = undefined;
    this.#pairs.delete(name);
    const freed = this.#free(pair, loaded);
    this.#leaving.add(freed);
    await freed;
    this.#leaving.delete(freed);
  }

  /** Whatever fails, the engine is freed. */
  async #free({ last }: PooledPair, { engine, remember }: LoadedFiles): Promise<void> {
    const failed = (error: unknown): void => last?.log(failureLine('freeing the models', error));
    try {
      remember();
    } catch (error) {
      failed(error);
    }
    await engine.dispose().catch(failed);
  }

  #watch(): void {
    const { memoryPressure } = this.parts;
    if (this.#isWatching || this.#pairs.size === 0 || !memoryPressure) return;
    this.#isWatching = true;
    setTimeout(() => {
      void memoryPressure().then((pressure) => {
        this.#isWatching = false;
        for (const pair of this.#pairs.values()) this.#adapt(pair, pressure);
        this.#watch();
      });
    }, LOOK_MS).unref();
  }

  /** Uses less memory the less there is, and none if nobody is using the pair. */
  #adapt(pair: PooledPair, pressure: MemoryPressure): void {
    if (!pair.loaded || isElsewhere(pair.loaded.engine)) return;
    const stillUsed = performance.now() - STILL_USED_MS;
    const mayGo = pressure === 'critical' && [...pair.holders].every(({ lastUse }) => lastUse <= stillUsed);
    const share = pressure === 'normal' ? 1 : mayGo ? 0 : SHORT_SHARE;
    if (share === pair.cacheShare) return;
    pair.cacheShare = share;
    for (const holder of mayGo ? pair.holders : []) holder.onShortMemory();
    if (mayGo) return;
    if (share < 1) pair.loaded.engine.resizeCache({ bytes: 0 });
    this.resizeCache(pair);
    const line = `memory is ${share < 1 ? 'low: keeping less of what the models have read' : 'no longer low'}`;
    for (const holder of pair.holders) holder.log(line);
  }
}

function requireHolder({ holders }: PooledPair): void {
  if (holders.size === 0) throw new Error('Model load cancelled: no client is waiting.');
}

/** Files, places in them, and clients that a user switches between. */
const WORKING_SET = 8;
const MACHINE_SHARE = 1 / 8;

/** Limits of the prompt cache, by the setting and the memory of the machine. */
export function cacheBudget(
  setting: ServerSettings['cacheMemoryMB'],
  memoryBytes = totalMemory(),
  share?: number,
): CacheBudget {
  if (setting !== 'auto') return { bytes: 1e6 * setting };
  const bytes = Math.floor(MACHINE_SHARE * memoryBytes);
  return { bytes, prompts: WORKING_SET, ...(share !== undefined && { share }) };
}

/** Scales all limits. */
function shareOf({ bytes, prompts, share }: CacheBudget, factor: number): CacheBudget {
  return {
    bytes: factor * bytes,
    ...(prompts !== undefined && { prompts: factor * prompts }),
    ...(share !== undefined && { share: factor * share }),
  };
}
