// The models in memory, shared by all connections of a process. Loads a pair once, however many ask for it, and one
// pair at a time; two are in memory when two clients name different ones.
import { RecentSuggestions } from '../completion/recent';
import type { ResidentPrefixes } from '../engine/residentPrefixes';
import type { MemoryPressure } from '../memoryPressure';
import { systemClock, type Clock } from './clock';
import type { LoadModel, PairChoice, SharedModel } from './loadedModel';
import { PooledPair, type Lease, type Leaseholder } from './pooledPair';

export interface PoolParts {
  readonly load: LoadModel;
  /** What tells a pair from others, found without loading it. Throws InputError for one that cannot be loaded. */
  readonly identify?: (choice: PairChoice) => string;
  /** Asked now and then while something is in memory; never rejects. */
  readonly memoryPressure?: () => Promise<MemoryPressure>;
  readonly clock?: Clock;
}

/** Between two looks at how short memory is. */
const LOOK_MS = 15_000;
/** Windows hear of changed settings one after the other; what all of them give back is freed before they load. */
const SWITCH_MS = 300;

export class ModelPool {
  readonly #pairs = new Map<string, PooledPair>();
  /** What each pair has suggested of late; a few kilobytes, which stay when it leaves memory. */
  readonly #recent = new Map<string, RecentSuggestions>();
  /** Pairs that are being freed. */
  readonly #leaving = new Set<Promise<void>>();
  readonly #clock: Clock;
  #lastLoad: Promise<unknown> = Promise.resolve();
  /** What the pair of that name had read that was in memory last. */
  #left: { readonly name: string; readonly residents: ResidentPrefixes } | undefined;
  #isWatching = false;

  constructor(private readonly parts: PoolParts) {
    this.#clock = parts.clock ?? systemClock;
  }

  /** The name of a pair. Throws InputError for one that cannot be loaded, as far as can be told without doing so. */
  identify(choice: PairChoice): string {
    const { target, drafter, device } = choice;
    return this.parts.identify?.(choice) ?? JSON.stringify([target, drafter, device]);
  }

  /** To be given back, whatever becomes of the model. Throws like `identify`. */
  lease(choice: PairChoice, holder: Leaseholder): Lease {
    const name = this.identify(choice);
    const pair = this.#pairs.get(name) ?? this.#add(name, choice);
    return pair.lease(holder);
  }

  /** Nothing is suggested again in a document of that name because it was before. */
  forget(uri: string): void {
    for (const recent of this.#recent.values()) recent.forget(uri);
  }

  #add(name: string, choice: PairChoice): PooledPair {
    const recent = this.#recent.get(name) ?? new RecentSuggestions();
    this.#recent.set(name, recent);
    const pair: PooledPair = new PooledPair(name, choice, {
      recent,
      load: this.parts.load,
      clock: this.#clock,
      inTurn: (load) => this.#inTurn(load),
      othersLeft: () => this.#othersLeft(pair),
      takeLeft: () => this.#takeLeft(name),
      onLeave: (freed) => {
        if (this.#pairs.get(name) === pair) this.#pairs.delete(name);
        const gone = freed.then((residents) => {
          this.#leaving.delete(gone);
          this.#forgetLeft();
          if (residents) this.#left = { name, residents };
        });
        this.#leaving.add(gone);
      },
    });
    this.#pairs.set(name, pair);
    this.#watch();
    return pair;
  }

  #inTurn(load: () => Promise<SharedModel>): Promise<SharedModel> {
    const loaded = this.#lastLoad.then(load, load);
    this.#lastLoad = loaded;
    return loaded;
  }

  /** Two pairs at a time may not fit, so one that leaves goes first. */
  async #othersLeft(pair: PooledPair): Promise<void> {
    if ([...this.#pairs.values()].some((each) => each !== pair && each.isLoaded))
      await new Promise<void>((resolve) => this.#clock.after(SWITCH_MS, resolve));
    while (this.#leaving.size > 0) await Promise.all(this.#leaving);
  }

  /** Undefined when it is of another pair, and forgotten then. */
  #takeLeft(name: string): ResidentPrefixes | undefined {
    if (this.#left?.name !== name) this.#forgetLeft();
    const { residents } = this.#left ?? {};
    this.#left = undefined;
    return residents;
  }

  #forgetLeft(): void {
    this.#left?.residents.dispose();
    this.#left = undefined;
  }

  #watch(): void {
    const { memoryPressure } = this.parts;
    if (this.#isWatching || (this.#pairs.size === 0 && !this.#left) || !memoryPressure) return;
    this.#isWatching = true;
    this.#clock.after(LOOK_MS, () => {
      void memoryPressure().then((pressure) => {
        this.#isWatching = false;
        for (const pair of this.#pairs.values()) pair.adapt(pressure);
        if (pressure !== 'normal') this.#forgetLeft();
        this.#watch();
      });
    });
  }
}
