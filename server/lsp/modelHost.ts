// One client's hold on the models: takes a lease when it needs them, gives it back when it does not, and tells the
// client about each step. Who else uses them, and what loading them means, it does not know.
import { InputError } from '../inputError';
import type { ModelInfo, ServerSettings, StatusParams } from '../protocol';
import { systemClock } from './clock';
import type { LoadedModel, PairChoice } from './loadedModel';
import type { ModelPool } from './modelPool';
import type { Outbox } from './outbox';
import type { Lease } from './pooledPair';

export class ModelHost {
  #settings: ServerSettings | undefined;
  #lease: Lease | undefined;
  /** Undefined while asleep. A failed load stays here until the settings name another pair. */
  #model: Promise<LoadedModel | undefined> | undefined;
  #info: ModelInfo | undefined;
  /** The pair that could be loaded last. */
  #proven: PairChoice | undefined;
  /** Why it is not the pair that the settings name. */
  #fallback: string | undefined;
  /** Grows with each lease that is given back, so that who has waited for one sees that. */
  #turn = 0;
  #active = 0;
  #uses = 0;
  #lastUse = 0;
  #stopTimer = (): void => undefined;

  constructor(
    private readonly pool: ModelPool,
    private readonly outbox: Outbox,
    private readonly log: (line: string) => void,
    private readonly clock = systemClock,
  ) {}

  /** Takes new settings. Where a pair is loaded another one takes its place at once, if it can be loaded. */
  async configure(settings: ServerSettings): Promise<void> {
    const before = this.#settings;
    this.#settings = settings;
    this.#rest();
    const isSame = before !== undefined && samePair(before, settings);
    const stays = isSame && (this.#model !== undefined || before.load === settings.load);
    if (stays || this.#isKept(settings)) {
      this.#lease?.resizeCache(cacheBytes(settings));
      return;
    }
    const isAwake = this.#lease !== undefined;
    // Freed before the next one is loaded, which the pool sees to.
    void this.#giveBack();
    if (isAwake || settings.load === 'start') await this.#awake();
    else this.#stayAsleep(settings);
  }

  /** Loads the model when it is not there. It stays for `work`, which gets undefined when it cannot be loaded. */
  async use<T>(work: (model: LoadedModel | undefined) => Promise<T>): Promise<T> {
    this.#uses += 1;
    this.#stopTimer();
    try {
      const model = await this.#awake();
      const letGo = this.#lease?.hold();
      return await work(model).finally(letGo);
    } finally {
      this.#uses -= 1;
      this.#lastUse = this.clock.now();
      this.#rest();
    }
  }

  /** Somebody types, so a request is likely. */
  wake(): void {
    if (this.#model === undefined) void this.#awake();
  }

  /** Whether there is a model that nobody waits for, in any window. */
  get isIdle(): boolean {
    return this.#lease?.isIdle ?? false;
  }

  /** What was suggested in a document is forgotten, as it is not shown any more. */
  forget(uri: string): void {
    this.pool.forget(uri);
  }

  /** Shows `generating` while `work` runs, also between its decodes. */
  async busy<T>(work: () => Promise<T>): Promise<T> {
    const end = this.#begin(this.#lease);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** The client has gone. A pair that is still being loaded is freed once it is there. */
  async dispose(): Promise<void> {
    this.#settings = undefined;
    await this.#giveBack();
  }

  async #awake(): Promise<LoadedModel | undefined> {
    for (;;) {
      if (this.#settings === undefined) return undefined;
      const waited = (this.#model ??= this.#load(this.#settings));
      const model = await waited;
      if (waited === this.#model) return model;
    }
  }

  /** Never rejects: the status says why there is no model. */
  async #load(settings: ServerSettings): Promise<LoadedModel | undefined> {
    const turn = this.#turn;
    try {
      return await this.#lend(settings);
    } catch (error) {
      if (turn !== this.#turn) return undefined;
      const message = this.#explained(error);
      const earlier = this.#proven;
      this.#lease = undefined;
      if (earlier && !samePair(earlier, settings)) {
        try {
          return await this.#lend(earlier, message);
        } catch (second) {
          if (turn !== this.#turn) return undefined;
          this.#explained(second);
        }
      }
      this.#lease = undefined;
      this.outbox.status({ state: 'error', message });
      return undefined;
    }
  }

  /** Undefined when it is not wanted any more by the time it is there. */
  async #lend(choice: PairChoice, fallback?: string): Promise<LoadedModel | undefined> {
    const lease = this.pool.lease(choice, {
      onProgress: (progress) => {
        if (this.#settings !== undefined) this.outbox.status({ state: 'loading', progress });
      },
      onShortMemory: () => {
        this.log('unloaded, as memory is short and nothing is asked for right now');
        this.#sleep('memory');
      },
      log: this.log,
    });
    this.#lease = lease;
    if (this.#settings) lease.resizeCache(cacheBytes(this.#settings));
    const shared = await lease.model;
    if (this.#lease !== lease) return undefined;
    this.#info = shared.info;
    this.#proven = choice;
    this.#fallback = fallback;
    this.log(loadedLine(shared.info));
    this.#report();
    this.#lastUse = this.clock.now();
    this.#rest();
    return { ...shared, begin: () => this.#begin(lease) };
  }

  /** What is loaded stays when it is what the settings name, and when that cannot be loaded anyway. */
  #isKept(settings: ServerSettings): boolean {
    if (!this.#lease || !this.#info) return false;
    try {
      if (this.pool.identify(settings) !== this.#lease.pair) return false;
      this.#proven = settings;
      this.#fallback = undefined;
    } catch (error) {
      this.#fallback = this.#explained(error);
    }
    this.#report();
    return true;
  }

  /** What is wrong already is said at once, although nothing is loaded yet. */
  #stayAsleep(settings: ServerSettings): void {
    try {
      this.pool.identify(settings);
      this.outbox.status({ state: 'asleep', asleepBecause: 'unused' });
    } catch (error) {
      // Where there is a pair to fall back to, the next request does.
      if (!this.#proven) this.#model = Promise.resolve(undefined);
      this.outbox.status({ state: 'error', message: this.#explained(error) });
    }
  }

  /** Goes to sleep once nothing was asked for as long as the settings say. */
  #rest(): void {
    this.#stopTimer();
    const { unloadAfterMinutes = 0 } = this.#settings ?? {};
    if (unloadAfterMinutes === 0 || this.#uses > 0 || !this.#info) return;
    const left = this.#lastUse + 60_000 * unloadAfterMinutes - this.clock.now();
    this.#stopTimer = this.clock.after(Math.max(0, left), () => {
      this.log(`unloaded, as nothing was asked for ${String(unloadAfterMinutes)} minutes`);
      this.#sleep('idle');
    });
  }

  #sleep(because: NonNullable<StatusParams['asleepBecause']>): void {
    void this.#giveBack();
    this.outbox.status({ state: 'asleep', asleepBecause: because });
  }

  async #giveBack(): Promise<void> {
    const lease = this.#lease;
    this.#turn += 1;
    this.#lease = this.#model = this.#info = undefined;
    this.#stopTimer();
    await lease?.release();
  }

  #begin(lease: Lease | undefined): () => void {
    const end = lease?.begin();
    this.#active += 1;
    if (this.#active === 1) this.#report();
    return () => {
      end?.();
      this.#active -= 1;
      if (this.#active === 0) this.#report();
    };
  }

  #report(): void {
    if (!this.#info) return;
    const state = this.#active > 0 ? 'generating' : 'ready';
    const fallback = state === 'ready' && this.#fallback !== undefined && { fallback: this.#fallback };
    this.outbox.status({ state, model: this.#info, ...fallback });
  }

  /** A line for the person; the log has more. */
  #explained(error: unknown): string {
    const message =
      error instanceof InputError ? error.message : `Loading the model failed: ${String(error)}`;
    this.log(error instanceof Error && error.stack !== undefined ? error.stack : message);
    return message;
  }
}

function loadedLine({ target, drafter, drafterProblem, device }: ModelInfo): string {
  const line = `loaded ${target} with ${drafter ?? 'no drafter'} on ${device}`;
  return drafterProblem === undefined
    ? line
    : `${line}, as the one that is named cannot be used: ${drafterProblem}`;
}

function cacheBytes({ cacheMemoryMB }: ServerSettings): number {
  return 1e6 * cacheMemoryMB;
}

function samePair(a: PairChoice, b: PairChoice): boolean {
  return a.target === b.target && a.drafter === b.drafter && a.device === b.device;
}
