// One client's lease of the models, taken while it needs them, with a status for each step; the pool has the rest.
import * as told from './loadedStatus';
import type { ClientSettings, StatusParams } from '../protocol/messages';
import { RemoteError } from '../remote/remoteError';
import { isEnabled } from '../rules/enabledLanguages';
import { cacheBudget, type ModelPool } from './modelPool';
import type { Leaseholder, UsableModel, PairChoice, PooledPair } from './loadedModel';
import { isElsewhere } from './localModel';
import { PairCandidates, samePair, usesRemote } from './pairCandidates';
import { loadsAtStart } from './settings';

interface Loading {
  readonly kind: 'loading';
  /** The candidate that is tried. */
  choice?: PairChoice;
  pair?: PooledPair | undefined;
  /** Never rejects. The lease is in another state by then. */
  ended?: Promise<void>;
}

interface Ready {
  readonly kind: 'ready';
  readonly pair: PooledPair;
  readonly model: UsableModel;
  /** Why it is not the pair that the settings name. */
  readonly fallback: string | undefined;
}

/** After a failure, nothing is tried until the settings name another pair, or a remote engine is due again. */
type State = { readonly kind: 'asleep' } | { readonly kind: 'failed' } | Loading | Ready;

export class ModelLease implements Leaseholder {
  waiting = 0;
  #settings: ClientSettings | undefined;
  #state: State = { kind: 'asleep' };
  readonly #candidates = new PairCandidates();
  #uses = 0;
  #lastUse = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly pool: ModelPool,
    /** Sends the status to the client. */
    private readonly tell: (status: StatusParams) => void,
    readonly log: (line: string) => void,
    /** Share of the memory of the loaded models that the prompt cache adds at most, if no setting says how much. */
    private readonly cacheShare?: number,
  ) {}

  /** Applies new settings. A pair that is loaded is replaced at once, if the new one can be loaded. */
  async configure(settings: ClientSettings): Promise<void> {
    const before = this.#settings;
    this.#settings = settings;
    this.#rest();
    const isSame = before !== undefined && samePair(before, settings);
    const stays =
      isSame && (this.#state.kind !== 'asleep' || loadsAtStart(before) === loadsAtStart(settings));
    if (stays || this.#isKept(settings)) return this.#pair && this.pool.resizeCache(this.#pair);
    const isAwake = this.#pair !== undefined;
    this.#candidates.reset();
    // The pool frees it before it loads the next one.
    void this.#giveBack();
    if (isAwake || loadsAtStart(settings)) await this.#awake();
    else this.#stayAsleep(settings);
  }

  /** Loads the model if necessary and keeps it for `work`, which gets undefined if it cannot be loaded. */
  async use<T>(work: (model: UsableModel | undefined) => Promise<T>): Promise<T> {
    this.#uses += 1;
    clearTimeout(this.#timer);
    try {
      return await work(await this.#awake());
    } catch (error) {
      if (error instanceof RemoteError) this.#lost(error);
      throw error;
    } finally {
      this.#uses -= 1;
      this.#lastUse = performance.now();
      const pair = this.#pair;
      if (pair) this.pool.used(pair);
      this.#rest();
      void this.#returnToRemote();
    }
  }

  /** Somebody types in this language, so a request is likely. */
  wake(languageId: string): void {
    const isMissing = this.#state.kind === 'asleep' || this.#candidates.isRetryDue;
    if (isMissing && isEnabled(this.#settings?.enable, languageId)) void this.#awake();
  }

  /** That in memory, or the remote one, if there is one now. */
  get model(): UsableModel | undefined {
    return this.#state.kind === 'ready' ? this.#state.model : undefined;
  }

  /** Whether there is a model that nobody is waiting for, in any window. */
  get isIdle(): boolean {
    const pair = this.#pair;
    return pair !== undefined && [...pair.holders].every(({ waiting }) => waiting === 0);
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

  get cacheBudget() {
    return cacheBudget(this.#settings?.cacheMemoryMB ?? 0, undefined, this.cacheShare);
  }

  get lastUse(): number {
    return this.#uses > 0 ? Infinity : this.#lastUse;
  }

  onProgress(progress: number): void {
    // Another attempt stays as quiet as the failure before it.
    const choice = this.#state.kind === 'loading' ? this.#state.choice : undefined;
    const status = told.loadingStatus(choice, progress);
    if (status.state === 'loading' || this.#candidates.remoteProblem === undefined) this.tell(status);
  }

  onShortMemory(): void {
    this.#sleep('memory');
  }

  get #pair(): PooledPair | undefined {
    return 'pair' in this.#state ? this.#state.pair : undefined;
  }

  async #awake(): Promise<UsableModel | undefined> {
    for (;;) {
      const settings = this.#settings;
      if (!settings || (this.#uses === 0 && !isEnabled(settings.enable))) return undefined;
      if (this.#state.kind === 'failed' && this.#candidates.isRetryDue) this.#state = { kind: 'asleep' };
      if (this.#state.kind === 'asleep') this.#startLoading(settings);
      if (this.#state.kind === 'loading') await this.#state.ended;
      if (this.#state.kind === 'ready') return this.#state.model;
      if (this.#state.kind === 'failed') return undefined;
    }
  }

  #startLoading(settings: ClientSettings): void {
    const loading: Loading = { kind: 'loading' };
    this.#state = loading;
    loading.ended = this.#load(loading, settings);
  }

  /** Into the next state, unless the pair is no longer wanted. Never rejects: the status says why there is no model. */
  async #load(loading: Loading, settings: ClientSettings): Promise<void> {
    let problem = this.#candidates.isRetryDue ? undefined : this.#candidates.remoteProblem;
    for (const choice of this.#candidates.of(settings))
      try {
        loading.choice = choice;
        const pair = (loading.pair = this.pool.lease(choice, this));
        const model = await pair.model;
        if (this.#state !== loading) return;
        this.#candidates.worked(choice);
        this.#present(pair, model, problem);
        return;
      } catch (error) {
        if (this.#state !== loading) return;
        loading.pair = undefined;
        const line = this.#candidates.failed(error, this.log);
        problem ??= line;
      }
    this.#state = { kind: 'failed' };
    this.tell(told.problemStatus(problem, this.#candidates.remoteProblem && told.remoteHost(settings)));
  }

  #present(pair: PooledPair, model: UsableModel, fallback: string | undefined): void {
    this.#state = { kind: 'ready', pair, model: { ...model, begin: () => this.#begin() }, fallback };
    this.log(told.loadedLine(model.info));
    this.#report();
    this.#lastUse = performance.now();
    this.#rest();
  }

  /** The remote engine has failed in a request. What follows is loaded, or the reason is told. */
  #lost(error: RemoteError): void {
    if (this.#state.kind !== 'ready' || !this.#state.model.engine.remote) return;
    this.#candidates.failed(error, this.log);
    void this.#giveBack();
    void this.#awake();
  }

  /** From the pair that stands in for a remote engine, once that answers again and nobody is waiting. */
  async #returnToRemote(): Promise<void> {
    const settings = this.#settings;
    if (!settings || this.#state.kind !== 'ready') return;
    const isBack = await this.#candidates.reachAgain(() => this.pool.reach(settings), this.log);
    if (!isBack || this.#settings !== settings || this.#uses > 0) return;
    this.#candidates.reset();
    void this.#giveBack();
    await this.#awake();
  }

  /** Keeps the loaded pair if the settings name it, or name one that cannot be loaded anyway. */
  #isKept(settings: ClientSettings): boolean {
    const state = this.#state;
    if (state.kind !== 'ready') return false;
    // Nothing stands in for a pair by sending text away.
    if (state.model.engine.remote && !usesRemote(settings)) return false;
    let fallback: string | undefined;
    try {
      if (this.pool.identify(settings) !== state.pair.name) return false;
      this.#candidates.worked(settings);
    } catch (error) {
      fallback = told.explained(error, this.log);
    }
    this.#state = { ...state, fallback };
    this.#report();
    return true;
  }

  /** Reports a problem that is already known, although nothing is loaded yet. */
  #stayAsleep(settings: ClientSettings): void {
    try {
      this.pool.identify(settings);
      this.tell(told.asleepStatus(settings, 'unused'));
    } catch (error) {
      // If there is a pair to fall back to, the next request loads that.
      if (!this.#candidates.hasProven) this.#state = { kind: 'failed' };
      this.tell({ state: 'error', message: told.explained(error, this.log) });
    }
  }

  /** Goes to sleep after as long without a request as the settings say, and at once while Flashline is off. */
  #rest(): void {
    clearTimeout(this.#timer);
    const state = this.#state;
    if (this.#uses > 0 || !this.#pair) return;
    const { enable, unloadAfterMinutes = 0 } = this.#settings ?? {};
    if (!isEnabled(enable)) return this.#sleep('unused');
    if (unloadAfterMinutes === 0 || state.kind !== 'ready' || isElsewhere(state.model.engine)) return;
    const left = this.#lastUse + 60_000 * unloadAfterMinutes - performance.now();
    this.#timer = setTimeout(() => this.#sleep('idle'), Math.max(0, left)).unref();
  }

  #sleep(because: NonNullable<StatusParams['asleepBecause']>): void {
    this.log(told.unloadedLine(because, this.#settings?.unloadAfterMinutes ?? 0));
    void this.#giveBack();
    this.tell(told.asleepStatus(this.#settings, because));
  }

  async #giveBack(): Promise<void> {
    const pair = this.#pair;
    this.#state = { kind: 'asleep' };
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
    if (this.#state.kind !== 'ready') return;
    const { model, fallback } = this.#state;
    this.tell(told.loadedStatus(model, this.waiting, fallback));
  }
}
