// One client's lease of a model: loads the model when a request needs it, returns it to the pool after some time
// without requests, and reports each step as a status.
import type { DraftLength } from '../engine/decode/decode';
import type { CacheBudget } from '../engine/engine';
import type { ClientSettings, StatusParams } from '../protocol/messages';
import { RemoteError } from '../remote/remoteError';
import { isEnabled } from '../rules/enabledLanguages';
import { cacheBudget } from './cacheBudget';
import { Candidates } from './candidates';
import * as leaseStatus from './leaseStatus';
import { isOnOtherMachine, type Model } from './model';
import type { ModelPool } from './modelPool';
import { isSamePair, usesRemote, type PairName } from './pairName';
import type { LeaseHolder, PooledPair } from './pooledPair';
import { loadsAtStart } from './settings';

interface LeaseOptions {
  /** Called after each change of the status. */
  readonly onStatus?: () => void;
  /** `modelShare` of the `CacheBudget` if the size of the prompt cache is automatic; no such limit by default. */
  readonly modelShare?: number;
  /** Whether another pair is used if that of the settings cannot be loaded; true by default. */
  readonly mayFallBack?: boolean;
}

interface Loading {
  readonly kind: 'loading';
  /** Candidate being tried. */
  name?: PairName;
  pair?: PooledPair | undefined;
  /** Resolves once the lease is in another state; never rejects. */
  ended?: Promise<void>;
}

interface Ready {
  readonly kind: 'ready';
  readonly pair: PooledPair;
  readonly model: Model;
  /** Reason why `pair` is not the one that the settings name; undefined if it is. */
  readonly fallback: string | undefined;
}

/**
 * failed: no candidate could be loaded; lasts until the settings name another pair or a remote engine can be retried.
 */
type State = { readonly kind: 'asleep' } | { readonly kind: 'failed' } | Loading | Ready;

export class Lease implements LeaseHolder {
  /** The pairs and remote engines to try. */
  readonly #candidates: Candidates;
  #settings: ClientSettings | undefined;
  #state: State = { kind: 'asleep' };
  #status: StatusParams = { state: 'starting' };
  #statusSettings: ClientSettings | undefined;
  /** Number of running `use` calls. */
  #useCount = 0;
  /** Number of outputs for which requests wait. */
  #waitingCount = 0;
  /** Time (ms, of `performance.now`) at which the last use ended, or the model became ready. */
  #lastUse = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly pool: ModelPool,
    readonly log: (line: string) => void,
    private readonly options: LeaseOptions = {},
  ) {
    this.#candidates = new Candidates(log, options.mayFallBack);
  }

  /** Applies new settings. If they name another pair, releases a loaded pair and loads the new one immediately. */
  async configure(settings: ClientSettings): Promise<void> {
    const before = this.#settings;
    this.#settings = settings;
    this.#scheduleUnload();
    const isSame = before !== undefined && isSamePair(before, settings);
    // With the same pair nothing changes, unless the lease is asleep and the settings change whether it loads at start.
    const isSettled =
      isSame && (this.#state.kind !== 'asleep' || loadsAtStart(before) === loadsAtStart(settings));
    if (!isSettled) this.#candidates.reset();
    if (isSettled || this.#tryKeepPair(settings)) {
      this.#statusSettings = settings;
      this.#pair?.resizeCache();
      return;
    }
    const hadPair = this.#pair !== undefined;
    void this.#release();
    if (hadPair || loadsAtStart(settings)) await this.#requireModel();
    else this.#reportAsleep(settings);
  }

  /**
   * Loads the model if necessary and keeps it during `work`, unless new settings name another one. Calls `work` with
   * undefined if it cannot be loaded.
   */
  async use<T>(work: (model: Model | undefined) => Promise<T>): Promise<T> {
    this.#useCount += 1;
    clearTimeout(this.#idleTimer);
    try {
      return await work(await this.#requireModel());
    } catch (error) {
      if (error instanceof RemoteError) this.#remoteFailed(error);
      throw error;
    } finally {
      this.#useCount -= 1;
      this.#lastUse = performance.now();
      this.#pair?.used();
      this.#scheduleUnload();
      void this.#returnToRemote();
    }
  }

  /** Loads the model in advance: the user types in this language, so a request is likely. */
  wake(languageId: string): void {
    const isMissing = this.#state.kind === 'asleep' || this.#candidates.isRetryDue;
    if (isMissing && isEnabled(this.#settings?.enable, languageId)) void this.#requireModel();
  }

  /** Status for clients; `starting` before the first settings. */
  get status(): StatusParams {
    return this.#status;
  }

  /** Settings that the status belongs to: newer ones can wait for a load. Undefined before the first status. */
  get statusSettings(): ClientSettings | undefined {
    return this.#statusSettings;
  }

  /** Model that is ready; undefined if none is. */
  get model(): Model | undefined {
    return this.#state.kind === 'ready' ? this.#state.model : undefined;
  }

  /** Whether a pair is leased, and no request of any window waits for its output. */
  get isIdle(): boolean {
    return this.#pair?.isIdle === true;
  }

  /** Forgets earlier suggestions in a document. */
  forget(uri: string): void {
    this.pool.forget(uri);
  }

  /** Reports `generating` while `work` runs, even between its decodes. */
  async busy<T>(work: () => Promise<T>): Promise<T> {
    const end = this.#beginOutput();
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Ends the lease. A pair that is still being loaded is freed once it is loaded. */
  async dispose(): Promise<void> {
    const freed = this.#release();
    this.#settings = undefined;
    await freed;
  }

  get cacheBudget(): CacheBudget {
    return cacheBudget(this.#settings?.cacheMemoryMB ?? 0, undefined, this.options.modelShare);
  }

  /** Draft length in the settings, for requests that set none. */
  get draftLength(): DraftLength {
    return this.#settings?.draftLength ?? 'adaptive';
  }

  get waitingCount(): number {
    return this.#waitingCount;
  }

  get lastUse(): number {
    return this.#useCount > 0 ? Infinity : this.#lastUse;
  }

  onProgress(progress: number): void {
    const name = this.#state.kind === 'loading' ? this.#state.name : undefined;
    const status = leaseStatus.loadingStatus(name, progress);
    // While a remote engine is retried, the status keeps showing why it has failed.
    if (status.state === 'loading' || this.#candidates.remoteProblem === undefined) this.#report(status);
  }

  onMemoryLow(): void {
    this.#unload('memory');
  }

  get #pair(): PooledPair | undefined {
    return 'pair' in this.#state ? this.#state.pair : undefined;
  }

  /**
   * Resolves with the model, loading it if necessary. Resolves with undefined if no candidate can be loaded, if
   * suggestions are off and no request runs, or without settings (before `configure` and after `dispose`).
   */
  async #requireModel(): Promise<Model | undefined> {
    for (;;) {
      const settings = this.#settings;
      if (!settings || (this.#useCount === 0 && !isEnabled(settings.enable))) return undefined;
      if (this.#state.kind === 'failed' && this.#candidates.isRetryDue) this.#state = { kind: 'asleep' };
      if (this.#state.kind === 'asleep') {
        const loading: Loading = { kind: 'loading' };
        this.#state = loading;
        loading.ended = this.#load(loading, settings);
      }
      if (this.#state.kind === 'loading') await this.#state.ended;
      if (this.#state.kind === 'ready') return this.#state.model;
      if (this.#state.kind === 'failed') return undefined;
    }
  }

  /** Tries the candidates in order until one is loaded, or another load or a release takes over. Never rejects. */
  async #load(loading: Loading, settings: ClientSettings): Promise<void> {
    const candidates = this.#candidates;
    let problem = candidates.isRetryDue ? undefined : candidates.remoteProblem;
    for (const name of candidates.list(settings))
      try {
        loading.name = name;
        const pair = (loading.pair = this.pool.lease(name, this));
        const model = await pair.model;
        if (this.#state !== loading) return;
        candidates.succeeded(name);
        this.#becomeReady(pair, model, problem);
        return;
      } catch (error) {
        if (this.#state !== loading) return;
        loading.pair = undefined;
        const line = candidates.failed(error);
        problem ??= line;
      }
    this.#state = { kind: 'failed' };
    const host = candidates.remoteProblem && leaseStatus.remoteHost(settings.remote);
    this.#report(leaseStatus.failedStatus(problem, host));
  }

  /** Changes the state to ready. `fallback` is the reason why the pair is not that of the settings. */
  #becomeReady(pair: PooledPair, model: Model, fallback: string | undefined): void {
    this.#state = { kind: 'ready', pair, model: { ...model, begin: () => this.#beginOutput() }, fallback };
    this.log(leaseStatus.loadedLine(model.info));
    this.#reportReady();
    this.#lastUse = performance.now();
    this.#scheduleUnload();
  }

  /** Looks for another candidate after the remote engine in use has failed in a request. */
  #remoteFailed(error: RemoteError): void {
    if (this.#state.kind !== 'ready' || !this.#state.model.engine.remote) return;
    this.#candidates.failed(error);
    void this.#release();
    void this.#requireModel();
  }

  /** Returns from a fallback to the remote engine of the settings, if that answers again and no request runs. */
  async #returnToRemote(): Promise<void> {
    const settings = this.#settings;
    if (!settings || this.#state.kind !== 'ready') return;
    const isBack = await this.#candidates.retry(() => this.pool.loader.reach(settings));
    if (!isBack || this.#settings !== settings || this.#useCount > 0) return;
    void this.#release();
    await this.#requireModel();
  }

  /** Keeps the loaded pair if the settings still name it, or name one that cannot be loaded. Returns whether it did. */
  #tryKeepPair(settings: ClientSettings): boolean {
    const state = this.#state;
    if (state.kind !== 'ready') return false;
    // A remote engine is never kept as a fallback: prompts must not be sent to it any more.
    if (state.model.engine.remote && !usesRemote(settings)) return false;
    let fallback: string | undefined;
    try {
      if (this.pool.loader.identify(settings) !== state.pair.id) return false;
    } catch (error) {
      fallback = leaseStatus.reportLoadError(error, this.log);
    }
    this.#state = { ...state, fallback };
    this.#reportReady();
    return true;
  }

  /** Reports `asleep`, or an error if settings or files show that the pair cannot be loaded. */
  #reportAsleep(settings: ClientSettings): void {
    try {
      this.pool.loader.identify(settings);
      this.#report(leaseStatus.asleepStatus(settings.remote, 'unused'));
    } catch (error) {
      // If there is a fallback, the next request loads it.
      if (!this.#candidates.hasFallback) this.#state = { kind: 'failed' };
      this.#report({ state: 'error', message: leaseStatus.reportLoadError(error, this.log) });
    }
  }

  /** Unloads after the idle time of the settings, or immediately while suggestions are off. */
  #scheduleUnload(): void {
    clearTimeout(this.#idleTimer);
    const state = this.#state;
    if (this.#useCount > 0 || !this.#pair) return;
    const { enable, unloadAfterMinutes = 0 } = this.#settings ?? {};
    if (!isEnabled(enable)) return this.#unload('unused');
    if (unloadAfterMinutes === 0 || state.kind !== 'ready' || isOnOtherMachine(state.model.engine)) return;
    const leftMs = this.#lastUse + 60_000 * unloadAfterMinutes - performance.now();
    this.#idleTimer = setTimeout(() => this.#unload('idle'), Math.max(0, leftMs)).unref();
  }

  #unload(reason: leaseStatus.UnloadReason): void {
    this.log(leaseStatus.unloadedLine(reason, this.#settings?.unloadAfterMinutes ?? 0));
    void this.#release();
    this.#report(leaseStatus.asleepStatus(this.#settings?.remote, reason));
  }

  /**
   * Returns the pair to the pool, and resolves once it is freed. Only `dispose` waits for that; the next load waits in
   * the pool itself (`ModelPool.#awaitFreed`).
   */
  async #release(): Promise<void> {
    const pair = this.#pair;
    this.#state = { kind: 'asleep' };
    clearTimeout(this.#idleTimer);
    if (pair) await this.pool.release(pair, this);
  }

  /** Counts one more output for which a request waits, until the returned function is called. */
  #beginOutput(): () => void {
    this.#waitingCount += 1;
    if (this.#waitingCount === 1) this.#reportReady();
    return () => {
      this.#waitingCount -= 1;
      if (this.#waitingCount === 0) this.#reportReady();
    };
  }

  #reportReady(): void {
    if (this.#state.kind !== 'ready') return;
    const { model, fallback } = this.#state;
    this.#report(leaseStatus.readyStatus(model, this.#waitingCount, fallback));
  }

  #report(status: StatusParams): void {
    this.#status = status;
    this.#statusSettings = this.#settings;
    this.options.onStatus?.();
  }
}
