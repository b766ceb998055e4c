// One client's lease of the models: taken when it needs them, given back when it does not, and the client is told about
// each step. Who else uses them, and what loading them means, the pool knows.
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
  /** Of the pair, once it is loaded. */
  #info: ModelInfo | undefined;
  /** The pair that could be loaded last. */
  #proven: PairChoice | undefined;
  /** Why it is not the pair that the settings name. */
  #fallback: string | undefined;
  /** Grows with each pair that is given back, so that who has waited for one sees that. */
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

  /** Takes new settings. Where a pair is loaded another one takes its place at once, if it can be loaded. */
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
    // Freed before the next one is loaded, which the pool sees to.
    void this.#giveBack();
    if (isAwake || settings.load === 'start') await this.#awake();
    else this.#stayAsleep(settings);
  }

  /** Loads the model when it is not there. It stays for `work`, which gets undefined when it cannot be loaded. */
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

  /** Whether there is a model that nobody waits for, in any window. */
  get isIdle(): boolean {
    return this.#pair !== undefined && [...this.#pair.holders].every(({ waiting }) => waiting === 0);
  }

  /** Nothing is suggested in that document because it was before. */
  forget(uri: string): void {
    this.pool.forget(uri);
  }

  /** Shows `generating` while `work` runs, also between its decodes. */
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
    this.log('unloaded, as memory is short and nothing is asked for right now');
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

  /** Never rejects: the status says why there is no model. Undefined also for one that is not wanted any more. */
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

  /** What is loaded stays when it is what the settings name, and when that cannot be loaded anyway. */
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

  /** What is wrong already is said at once, although nothing is loaded yet. */
  #stayAsleep(settings: ServerSettings): void {
    try {
      this.pool.identify(settings);
      this.tell({ state: 'asleep', asleepBecause: 'unused' });
    } catch (error) {
      // Where there is a pair to fall back to, the next request does.
      if (!this.#proven) this.#model = Promise.resolve(undefined);
      this.tell({ state: 'error', message: this.#explained(error) });
    }
  }

  /** Goes to sleep once nothing was asked for as long as the settings say. */
  #rest(): void {
    clearTimeout(this.#timer);
    const { unloadAfterMinutes = 0 } = this.#settings ?? {};
    if (unloadAfterMinutes === 0 || this.#uses > 0 || !this.#info) return;
    const left = this.#lastUse + 60_000 * unloadAfterMinutes - performance.now();
    this.#timer = setTimeout(
      () => {
        this.log(`unloaded, as nothing was asked for ${String(unloadAfterMinutes)} minutes`);
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

  /** Somebody waits for an output until what it gives is called. */
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

  /** A line for the person; the log has more. */
  #explained(error: unknown): string {
    const message =
      error instanceof InputError ? error.message : `Loading the model failed: ${String(error)}`;
    this.log(error instanceof Error && error.stack !== undefined ? error.stack : message);
    return message;
  }
}

function loadedLine({ target, drafter, drafterProblem, device }: ModelInfo): string {
  const why = drafterProblem && `, as the one that is named cannot be used: ${drafterProblem}`;
  return `loaded ${target} with ${drafter ?? 'no drafter'} on ${device}${why ?? ''}`;
}

function samePair(a: PairChoice, b: PairChoice): boolean {
  const [mine, theirs] = [a, b].map(({ target, drafter, drafterBits, device }) =>
    [target, drafter, drafterBits, device].join('\n'),
  );
  return mine === theirs;
}
