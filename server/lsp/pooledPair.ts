// One pair in memory and everybody who uses it: loaded once, probed once, measured once, and freed when the last
// lease is given back. When it may be loaded, and what else is in memory, the pool knows.
import { failureLine } from './failureLine';
import type { MemoryPressure } from '../memoryPressure';
import type { RecentSuggestions } from '../completion/recent';
import type { Clock } from './clock';
import type { ResidentPrefixes } from '../engine/residentPrefixes';
import type { LoadModel, NamedEngine, PairChoice, ServedEngine, SharedModel } from './loadedModel';
import { probedModel } from './probedModel';

/** What a client hears of a pair that it has a lease of. */
export interface Leaseholder {
  /** 0 to 1, while it is loaded. */
  readonly onProgress: (fraction: number) => void;
  /** Memory is too short for a pair that is not in use: the lease is to be given back. */
  readonly onShortMemory: () => void;
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
  /** What the pair has suggested of late. */
  readonly recent: RecentSuggestions;
  readonly load: LoadModel;
  readonly clock: Clock;
  /** Runs what loads when nothing else does. */
  readonly inTurn: (load: () => Promise<SharedModel>) => Promise<SharedModel>;
  /** Resolves when no other pair leaves memory any more. */
  readonly othersLeft: () => Promise<void>;
  /** What the pair has left when it was in memory before, which is the taker's then. */
  readonly takeLeft: () => ResidentPrefixes | undefined;
  /** The pair is not to be lent any more; resolves when it is out of memory, with what it leaves. */
  readonly onLeave: (freed: Promise<ResidentPrefixes | undefined>) => void;
}

interface LoadedPair {
  readonly engine: ServedEngine;
  /** Keeps what has been learned by now. */
  readonly remember: () => void;
}

/** Who has asked that lately will ask again with the next key. */
const STILL_USED_MS = 10_000;
/** After a use and so long without another, costs are measured: nobody is to wait for that. */
const MEASURE_AFTER_MS = 3_000;
/** Of what is kept of read texts while memory is short, and without the models: a long prompt of the embedded pair. */
const SHORT_SHARE = 0.5;
const LEFT_SHARE = 0.2;

export class PooledPair {
  readonly model: Promise<SharedModel>;
  readonly #leases = new Map<Lease, { readonly holder: Leaseholder; cacheBytes: number }>();
  #loaded: LoadedPair | undefined;
  /** Hears of what goes wrong when nobody has a lease any more. */
  #last: Leaseholder | undefined;
  #progress = 0;
  #waiting = 0;
  #held = 0;
  #lastUse = 0;
  #isShort = false;
  #wasMeasured = false;
  #cacheBytes = 0;
  #stopTimer = (): void => undefined;

  constructor(
    readonly name: string,
    private readonly choice: PairChoice,
    private readonly parts: PairParts,
  ) {
    this.model = parts.inTurn(() => this.#load());
    void this.model.then(
      () => this.#leaveUnlessWanted(),
      () => {
        parts.onLeave(Promise.resolve(undefined));
      },
    );
  }

  get isLoaded(): boolean {
    return this.#loaded !== undefined;
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
        this.#stopTimer();
        return () => {
          this.#held -= 1;
          this.#lastUse = this.parts.clock.now();
          this.#measureLater();
        };
      },
      release: async () => {
        if (!this.#leases.delete(lease)) return;
        this.#resizeCache();
        await this.#leaveUnlessWanted();
      },
    };
    this.#leases.set(lease, terms);
    this.#last = holder;
    if (!this.#loaded) holder.onProgress(this.#progress);
    return lease;
  }

  /** Takes less memory the shorter it is; none when nobody uses the pair. */
  adapt(pressure: MemoryPressure): void {
    const isUsed = this.#held > 0 || this.parts.clock.now() - this.#lastUse < STILL_USED_MS;
    if (!this.#loaded) return;
    if (pressure === 'critical' && !isUsed) {
      this.#cacheBytes = 0;
      for (const { holder } of [...this.#leases.values()]) holder.onShortMemory();
      return;
    }
    const isShort = pressure !== 'normal';
    if (isShort === this.#isShort) return;
    this.#isShort = isShort;
    if (isShort) this.#loaded.engine.resizeCache(0);
    this.#resizeCache();
    this.#log(`memory is ${isShort ? 'short: less is kept of what was read' : 'no longer short'}`);
  }

  async #load(): Promise<SharedModel> {
    this.#requireWanted();
    await this.parts.othersLeft();
    this.#requireWanted();
    const named = await this.#read();
    const model = await probedModel(this.name, named, this.parts.recent);
    if (!named.probed) performance.mark('probe');
    const { engine } = named;
    const loaded = {
      engine,
      remember: () => {
        named.remember(engine.profile, { infill: model.info.infill, layout: model.layout });
      },
    };
    this.#loaded = loaded;
    this.#lastUse = this.parts.clock.now();
    this.#resizeCache();
    if (!named.probed) loaded.remember();
    return model;
  }

  async #read(): Promise<NamedEngine> {
    const left = this.parts.takeLeft();
    const onProgress = (fraction: number): void => {
      this.#progress = fraction;
      for (const { holder } of this.#leases.values()) holder.onProgress(fraction);
    };
    try {
      return await this.parts.load(this.choice, onProgress, left);
    } catch (error) {
      left?.dispose();
      throw error;
    }
  }

  #measureLater(): void {
    if (this.#held > 0 || this.#wasMeasured) return;
    this.#stopTimer = this.parts.clock.after(MEASURE_AFTER_MS, () => void this.#measure());
  }

  /** In the background, and at the first use of a pair only: what its rounds cost on this machine. */
  async #measure(): Promise<void> {
    const loaded = this.#loaded;
    if (!loaded) return;
    this.#wasMeasured = true;
    try {
      await loaded.engine.calibrate(new AbortController().signal);
      loaded.remember();
    } catch (error) {
      this.#log(failureLine('calibration', error));
    }
  }

  #resizeCache(): void {
    const budgets = [...this.#leases.values()].map(({ cacheBytes }) => cacheBytes);
    const share = this.#isShort ? SHORT_SHARE : 1;
    if (budgets.length === 0) return;
    this.#cacheBytes = share * Math.max(...budgets);
    this.#loaded?.engine.resizeCache(this.#cacheBytes);
  }

  async #leaveUnlessWanted(): Promise<void> {
    const loaded = this.#loaded;
    if (!loaded || this.#leases.size > 0) return;
    this.#loaded = undefined;
    const freed = this.#free(loaded);
    this.parts.onLeave(freed);
    await freed;
  }

  /** What was learned is kept, and what was read last: whoever comes back goes on there. */
  async #free({ engine, remember }: LoadedPair): Promise<ResidentPrefixes | undefined> {
    remember();
    let left: ResidentPrefixes | undefined;
    try {
      left = engine.handOver?.(LEFT_SHARE * this.#cacheBytes);
      await engine.dispose();
    } catch (error) {
      this.#last?.log(failureLine('freeing the models', error));
    }
    return left;
  }

  #requireWanted(): void {
    if (this.#leases.size === 0) throw new Error('Expected somebody to wait for the models, got nobody');
  }

  #log(line: string): void {
    for (const { holder } of this.#leases.values()) holder.log(line);
  }
}
