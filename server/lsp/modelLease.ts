// One client's lease of the models: taken when it needs them, given back when it does not, with a status for each step.
// The pool knows who else uses them and how they are loaded.
import { InputError } from '../inputError';
import type { ModelInfo, ServerSettings, StatusParams } from '../protocol';
import type { Leaseholder, LoadedModel, PairChoice, PooledPair } from './loadedModel';
import type { ModelPool } from './modelPool';

export class ModelLease implements Leaseholder {
  waiting = 0;
  #settings: ServerSettings | undefined;
  #pair: PooledPair | undefined;
  /** Undefined while asleep. A failed load stays here until the settings name another pair. */
  #model: Promise<LoadedModel | undefined> | undefined;
  /** Info on the pair, once it is loaded. */
  #info: ModelInfo | undefined;
  /** The last pair that was loaded successfully. */
  #proven: PairChoice | undefined;
  /** Why the loaded pair is not the one that the settings name. */
  #fallback: string | undefined;
  /** Incremented when a pair is given back, so that whoever was waiting for it notices. */
  #turn = 0;
  #uses = 0;
  #lastUse = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly pool: ModelPool,
    /** Sends the status to the client. */
    private readonly tell: (status: StatusParams) => void,
    readonly log: (line: string) => void,
  ) {}

  /** Applies new settings. A pair that is loaded is replaced at once, if the new one can be loaded. */
  async configure(settings: ServerSettings): Promise<void> {
    const before = this.#settings;
    this.#settings = settings;
    this.#rest();
    const isSame = before !== undefined && samePair(before, settings);
    const stays = isSame && (this.#model !== undefined || before.load === settings.load);
    if (stays || this.#isKept(settings)) {
      if (this.#pair) this.pool.resizeCache(this.#pair);
      return;
    }
    const isAwake = this.#pair !== undefined;
    // The pool frees it before it loads the next one.
    void this.#giveBack();
    if (isAwake || settings.load === 'start') await this.#awake();
    else this.#stayAsleep(settings);
  }

  /** Loads the model if necessary and keeps it for `work`, which gets undefined if it cannot be loaded. */
  async use<T>(work: (model: LoadedModel | undefined) => Promise<T>): Promise<T> {
    this.#uses += 1;
    clearTimeout(this.#timer);
    try {
      return await work(await this.#awake());
    } finally {
      this.#uses -= 1;
      this.#lastUse = performance.now();
      if (this.#pair) this.pool.used(this.#pair);
      this.#rest();
    }
  }

  /** Somebody types, so a request is likely. */
  wake(): void {
    if (this.#model === undefined) void this.#awake();
  }

  /** Whether there is a model that nobody is waiting for, in any window. */
  get isIdle(): boolean {
    return this.#pair !== undefined && [...this.#pair.holders].every(({ waiting }) => waiting === 0);
  }

  /** Earlier suggestions are not shown again in that document. */
  forget(uri: string): void {
    this.pool.forget(uri);
  }

  /** Shows `generating` while `work` runs, even between its decodes. */
  async busy<T>(work: () => Promise<T>): Promise<T> {
    const end = this.#begin();
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** The client has gone. A pair that is still being loaded is freed once it is there. */
  async dispose(): Promise<void> {
    const freed = this.#giveBack();
    this.#settings = undefined;
    await freed;
  }

  get cacheBytes(): number {
    return 1e6 * (this.#settings?.cacheMemoryMB ?? 0);
  }

  get lastUse(): number {
    return this.#uses > 0 ? Infinity : this.#lastUse;
  }

  onProgress(progress: number): void {
    this.tell({ state: 'loading', progress });
  }

  onShortMemory(): void {
    this.log('unloaded, because memory is low and no request is running');
    this.#sleep('memory');
  }

  async #awake(): Promise<LoadedModel | undefined> {
    for (;;) {
      if (this.#settings === undefined) return undefined;
      const waited = (this.#model ??= this.#load(this.#settings));
      const model = await waited;
      if (waited === this.#model) return model;
    }
  }

  /** Never rejects: the status says why there is no model. Also undefined for one that is no longer wanted. */
  async #load(settings: ServerSettings): Promise<LoadedModel | undefined> {
    const turn = this.#turn;
    const earlier = this.#proven && !samePair(this.#proven, settings) ? [this.#proven] : [];
    let problem: string | undefined;
    for (const choice of [settings, ...earlier])
      try {
        const pair = (this.#pair = this.pool.lease(choice, this));
        const model = await pair.model;
        if (turn !== this.#turn) return undefined;
        this.#proven = choice;
        this.#fallback = problem;
        return this.#loaded(model);
      } catch (error) {
        if (turn !== this.#turn) return undefined;
        this.#pair = undefined;
        const line = this.#explained(error);
        problem ??= line;
      }
    this.tell({ state: 'error', ...(problem !== undefined && { message: problem }) });
    return undefined;
  }

  #loaded(model: LoadedModel): LoadedModel {
    this.#info = model.info;
    this.log(loadedLine(model.info));
    this.#report();
    this.#lastUse = performance.now();
    this.#rest();
    return { ...model, begin: () => this.#begin() };
  }

  /** Keeps the loaded pair if the settings name it, or name one that cannot be loaded anyway. */
  #isKept(settings: ServerSettings): boolean {
    if (!this.#pair || !this.#info) return false;
    try {
      if (this.pool.identify(settings) !== this.#pair.name) return false;
      this.#proven = settings;
      this.#fallback = undefined;
    } catch (error) {
      this.#fallback = this.#explained(error);
    }
    this.#report();
    return true;
  }

  /** Reports a problem that is already known, although nothing is loaded yet. */
  #stayAsleep(settings: ServerSettings): void {
    try {
      this.pool.identify(settings);
      this.tell({ state: 'asleep', asleepBecause: 'unused' });
    } catch (error) {
      // If there is a pair to fall back to, the next request loads that.
      if (!this.#proven) this.#model = Promise.resolve(undefined);
      this.tell({ state: 'error', message: this.#explained(error) });
    }
  }

  /** Goes to sleep after as long without a request as the settings say. */
  #rest(): void {
    clearTimeout(this.#timer);
    const { unloadAfterMinutes = 0 } = this.#settings ?? {};
    if (unloadAfterMinutes === 0 || this.#uses > 0 || !this.#info) return;
    const left = this.#lastUse + 60_000 * unloadAfterMinutes - performance.now();
    this.#timer = setTimeout(
      () => {
        this.log(`unloaded after ${String(unloadAfterMinutes)} minutes without a request`);
        this.#sleep('idle');
      },
      Math.max(0, left),
    ).unref();
  }

  #sleep(because: NonNullable<StatusParams['asleepBecause']>): void {
    void this.#giveBack();
    this.tell({ state: 'asleep', asleepBecause: because });
  }

  async #giveBack(): Promise<void> {
    const pair = this.#pair;
    this.#turn += 1;
    this.#pair = this.#model = this.#info = undefined;
    clearTimeout(this.#timer);
    if (pair) await this.pool.release(pair, this);
  }

  /** Somebody is waiting for an output until the returned function is called. */
  #begin(): () => void {
    this.waiting += 1;
    if (this.waiting === 1) this.#report();
    return () => {
      this.waiting -= 1;
      if (this.waiting === 0) this.#report();
    };
  }

  #report(): void {
    if (!this.#info) return;
    const model = this.#info;
    if (this.waiting > 0) this.tell({ state: 'generating', model });
    else
      this.tell({ state: 'ready', model, ...(this.#fallback !== undefined && { fallback: this.#fallback }) });
  }

  /** A line for the user; the log has more. */
  #explained(error: unknown): string {
    const message =
      error instanceof InputError ? error.message : `Loading the model failed: ${String(error)}`;
    this.log(error instanceof Error && error.stack !== undefined ? error.stack : message);
    return message;
  }
}

function loadedLine({ target, drafter, drafterProblem, device }: ModelInfo): string {
  const why = drafterProblem && `, because the configured one cannot be used: ${drafterProblem}`;
  return `loaded ${target} with ${drafter ?? 'no drafter'} on ${device}${why ?? ''}`;
}

function samePair(a: PairChoice, b: PairChoice): boolean {
  const [mine, theirs] = [a, b].map(({ target, drafter, drafterBits, device }) =>
    [target, drafter, drafterBits, device].join('\n'),
  );
  return mine === theirs;
}
