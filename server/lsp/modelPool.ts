// The models in memory, shared by all connections of a process. Loads a pair once, however many ask for it, and one
// pair at a time; two are in memory when two clients name different ones.
import type { LoadModel, PairChoice, SharedModel } from './loadedModel';
import { PooledPair, type Lease, type Leaseholder } from './pooledPair';

export interface PoolParts {
  readonly load: LoadModel;
  /** What tells a pair from others, found without loading it. Throws InputError for one that cannot be loaded. */
  readonly identify?: (choice: PairChoice) => string;
}

export class ModelPool {
  readonly #pairs = new Map<string, PooledPair>();
  /** Pairs that are being freed. */
  readonly #leaving = new Set<Promise<void>>();
  #lastLoad: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: PoolParts) {}

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

  #add(name: string, choice: PairChoice): PooledPair {
    const pair: PooledPair = new PooledPair(name, choice, {
      load: this.parts.load,
      inTurn: (load) => this.#inTurn(load),
      onLeave: (freed) => {
        if (this.#pairs.get(name) === pair) this.#pairs.delete(name);
        this.#leaving.add(freed);
        const left = (): void => void this.#leaving.delete(freed);
        freed.then(left, left);
      },
    });
    this.#pairs.set(name, pair);
    return pair;
  }

  /** Two pairs at a time may not fit, so one that leaves goes first. */
  #inTurn(load: () => Promise<SharedModel>): Promise<SharedModel> {
    const begin = async (): Promise<SharedModel> => {
      while (this.#leaving.size > 0) await Promise.allSettled(this.#leaving);
      return await load();
    };
    const loaded = this.#lastLoad.then(begin, begin);
    this.#lastLoad = loaded;
    return loaded;
  }
}
