// One pair in memory and everybody who uses it: loaded once, probed once, measured once, and freed when the last
// lease is given back. When it may be loaded, and what else is in memory, the pool knows.
import { failureLine } from './failureLine';
import type { LoadModel, NamedEngine, PairChoice, SharedModel } from './loadedModel';
import { probedModel } from './probedModel';

/** What a client hears of a pair that it has a lease of. */
export interface Leaseholder {
  /** 0 to 1, while it is loaded. */
  readonly onProgress: (fraction: number) => void;
  /** The lease has ended without being given back, as memory is short. */
  readonly onTaken: () => void;
  readonly log: (line: string) => void;
}

export interface Lease {
  /** As the pool names the pair. */
  readonly pair: string;
  /** Rejects when it cannot be loaded. */
  readonly model: Promise<SharedModel>;
  /** Whether nobody waits for the pair, here or elsewhere. */
  readonly isIdle: boolean;
  /** What the client would give to what is read; the largest of all counts. */
  resizeCache(bytes: number): void;
  /** Somebody waits for the model, until what it gives is called. */
  begin(): () => void;
  /** Something is going on that needs the pair in memory, until what it gives is called. */
  hold(): () => void;
  /** Resolves when the pair is freed, or somebody else needs it, or it has yet to be loaded. */
  release(): Promise<void>;
}

export interface PairParts {
  readonly load: LoadModel;
  /** Runs what loads when nothing else does. */
  readonly inTurn: (load: () => Promise<SharedModel>) => Promise<SharedModel>;
  /** The pair is not to be lent any more; resolves when it is out of memory. */
  readonly onLeave: (freed: Promise<void>) => void;
}

export class PooledPair {
  readonly model: Promise<SharedModel>;
  readonly #leases = new Map<Lease, { readonly holder: Leaseholder; cacheBytes: number }>();
  #named: NamedEngine | undefined;
  /** Hears of what goes wrong when nobody has a lease any more. */
  #last: Leaseholder | undefined;
  #progress = 0;
  #waiting = 0;
  #held = 0;

  constructor(
    readonly name: string,
    private readonly choice: PairChoice,
    private readonly parts: PairParts,
  ) {
    this.model = parts.inTurn(() => this.#load());
    void this.model.then(
      () => this.#leaveUnlessWanted(),
      () => {
        parts.onLeave(Promise.resolve());
      },
    );
  }

  lease(holder: Leaseholder): Lease {
    const terms = { holder, cacheBytes: 0 };
    const isIdle = (): boolean => this.#waiting === 0;
    const lease: Lease = {
      pair: this.name,
      model: this.model,
      get isIdle() {
        return isIdle();
      },
      resizeCache: (bytes) => {
        terms.cacheBytes = bytes;
        this.#resizeCache();
      },
      begin: () => {
        this.#waiting += 1;
        return () => void (this.#waiting -= 1);
      },
      hold: () => {
        this.#held += 1;
        return () => void (this.#held -= 1);
      },
      release: async () => {
        if (!this.#leases.delete(lease)) return;
        this.#resizeCache();
        await this.#leaveUnlessWanted();
      },
    };
    this.#leases.set(lease, terms);
    this.#last = holder;
    if (!this.#named) holder.onProgress(this.#progress);
    return lease;
  }

  async #load(): Promise<SharedModel> {
    if (this.#leases.size === 0) throw new Error('Expected somebody to wait for the models, got nobody');
    const named = await this.parts.load(this.choice, (fraction) => {
      this.#progress = fraction;
      this.#tell(({ onProgress }) => {
        onProgress(fraction);
      });
    });
    const model = await probedModel(this.name, named);
    this.#named = named;
    this.#resizeCache();
    void this.#measure(named);
    return model;
  }

  /** In the background, and at the first use of a pair only: what its rounds cost on this machine. */
  async #measure({ engine, remember }: NamedEngine): Promise<void> {
    try {
      await engine.calibrate(new AbortController().signal);
      remember(engine.profile);
    } catch (error) {
      this.#tell(({ log }) => {
        log(failureLine('calibration', error));
      });
    }
  }

  #resizeCache(): void {
    const budgets = [...this.#leases.values()].map(({ cacheBytes }) => cacheBytes);
    if (budgets.length > 0) this.#named?.engine.resizeCache(Math.max(...budgets));
  }

  async #leaveUnlessWanted(): Promise<void> {
    const named = this.#named;
    if (!named || this.#leases.size > 0) return;
    this.#named = undefined;
    const freed = this.#free(named);
    this.parts.onLeave(freed);
    await freed;
  }

  /** What was learned is kept. */
  async #free({ engine, remember }: NamedEngine): Promise<void> {
    remember(engine.profile);
    try {
      await engine.dispose();
    } catch (error) {
      this.#last?.log(failureLine('freeing the models', error));
    }
  }

  #tell(say: (holder: Leaseholder) => void): void {
    for (const { holder } of this.#leases.values()) say(holder);
  }
}
