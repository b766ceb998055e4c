// Owns the engine on behalf of the server: loads it when first needed, replaces it when the settings name another
// pair, and tells the client about each step. A failed load is kept until something changes.
import type { FimLayout } from '../completion/fimFormat';
import { LineTokens } from '../completion/lineTokens';
import { infillProbe } from '../completion/infillProbe';
import type { Engine } from '../engine/engine';
import type { ProfileSnapshot } from '../engine/pairProfile';
import { InputError } from '../inputError';
import type { ModelInfo, ServerSettings, StatusParams } from '../protocol';
import { failureLine } from './failureLine';
import type { Outbox } from './outbox';
import { RecordingDecoder } from './recordingDecoder';

/** What the server uses of an engine; tests bring a double. */
export type ServedEngine = Pick<
  Engine,
  | 'config'
  | 'tokenizer'
  | 'encodeChat'
  | 'decode'
  | 'maxDraftTokens'
  | 'device'
  | 'resizeCache'
  | 'calibrate'
  | 'profile'
  | 'dispose'
>;

/** An engine under the names that a person knows its models by. */
export interface NamedEngine {
  readonly engine: ServedEngine;
  readonly target: string;
  readonly drafter: string | undefined;
  /** Why there is none although one was named. */
  readonly drafterProblem?: string | undefined;
  /** Keeps what has been measured for the next process; never throws. */
  readonly remember: (profile: ProfileSnapshot) => void;
}

export interface LoadedModel {
  readonly engine: ServedEngine;
  readonly info: ModelInfo;
  readonly layout: FimLayout;
  /** Lines of documents as this model's tokens. */
  readonly lines: LineTokens;
  /** Shows `generating` until what it gives is called. */
  readonly begin: () => () => void;
  /** Frees the models; what was learned is kept. */
  readonly retire: () => Promise<void>;
}

export type LoadModel = (
  settings: ServerSettings,
  onProgress: (fraction: number) => void,
) => Promise<NamedEngine>;

export class ModelHost {
  #settings: ServerSettings | undefined;
  #model: Promise<LoadedModel | undefined> | undefined;
  #info: ModelInfo | undefined;
  #active = 0;

  constructor(
    private readonly load: LoadModel,
    private readonly outbox: Outbox,
    private readonly log: (line: string) => void,
  ) {}

  /** Takes new settings; another pair is loaded at once, other changes apply to the next request. */
  async configure(settings: ServerSettings): Promise<void> {
    const before = this.#settings;
    this.#settings = settings;
    if (before && samePair(before, settings)) {
      (await this.#model)?.engine.resizeCache(cacheBytes(settings));
      return;
    }
    const old = this.#model;
    this.#model = this.#start(settings, old);
    await this.#model;
  }

  /** The model when it is loaded; undefined when it cannot be, which the status has said. */
  async model(): Promise<LoadedModel | undefined> {
    return await this.#model;
  }

  /** Whether nobody waits for the model. */
  get isIdle(): boolean {
    return this.#active === 0;
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

  async dispose(): Promise<void> {
    // What is still being loaded goes with the process; the client waits for an answer.
    const model = this.#info && (await this.#model);
    this.#model = this.#info = undefined;
    await model?.retire();
  }

  async #start(
    settings: ServerSettings,
    old: Promise<LoadedModel | undefined> | undefined,
  ): Promise<LoadedModel | undefined> {
    // Two pairs at a time may not fit, so the old one goes first; its decodes end at their next round.
    const previous = await old;
    await previous?.retire();
    this.#info = undefined;
    this.outbox.status({ state: 'loading', progress: 0 });
    try {
      const named = await this.load(settings, (progress) => {
        this.outbox.status({ state: 'loading', progress });
      });
      const loaded = { ...(await probed(named)), begin: () => this.#begin(), retire: () => retire(named) };
      named.engine.resizeCache(cacheBytes(settings));
      this.#info = loaded.info;
      this.log(loadedLine(loaded.info));
      this.#report({ state: 'ready' });
      void this.#measure(named);
      return loaded;
    } catch (error) {
      const message =
        error instanceof InputError ? error.message : `Loading the model failed: ${String(error)}`;
      this.log(error instanceof Error && error.stack !== undefined ? error.stack : message);
      this.outbox.status({ state: 'error', message });
      return undefined;
    }
  }

  /** In the background, and at the first use of a pair only: what its rounds cost on this machine. */
  async #measure({ engine, remember }: NamedEngine): Promise<void> {
    try {
      await engine.calibrate(new AbortController().signal);
      remember(engine.profile);
    } catch (error) {
      this.log(failureLine('calibration', error));
    }
  }

  #begin(): () => void {
    this.#active += 1;
    if (this.#active === 1) this.#report({ state: 'generating' });
    return () => {
      this.#active -= 1;
      if (this.#active === 0) this.#report({ state: 'ready' });
    };
  }

  #report(status: StatusParams): void {
    if (this.#info) this.outbox.status({ ...status, model: this.#info });
  }
}

/** Tries out how the model is best asked to fill a hole. */
async function probed({
  engine,
  target,
  drafter,
  drafterProblem,
}: NamedEngine): Promise<Pick<LoadedModel, 'engine' | 'info' | 'layout' | 'lines'>> {
  const { device, maxDraftTokens } = engine;
  const drafting = { ...(drafter !== undefined && { drafter }), ...(drafterProblem && { drafterProblem }) };
  const info = { target, ...drafting, device, maxDraftTokens };
  const begin = () => () => undefined;
  const retire = () => engine.dispose();
  const lines = new LineTokens();
  const unprobed: LoadedModel = {
    engine,
    info: { ...info, infill: 'fim' },
    layout: 'psm',
    lines,
    begin,
    retire,
  };
  const decoder = new RecordingDecoder(unprobed, { kind: 'generate', draftLength: 'full' });
  const { infill, layout } = await infillProbe(decoder, new AbortController().signal).catch(
    async (error: unknown) => {
      await engine.dispose();
      throw error;
    },
  );
  return { engine, info: { ...info, infill }, layout, lines };
}

function loadedLine({ target, drafter, drafterProblem, device }: ModelInfo): string {
  const line = `loaded ${target} with ${drafter ?? 'no drafter'} on ${device}`;
  return drafterProblem === undefined
    ? line
    : `${line}, as the one that is named cannot be used: ${drafterProblem}`;
}

async function retire({ engine, remember }: NamedEngine): Promise<void> {
  remember(engine.profile);
  await engine.dispose();
}

function cacheBytes({ cacheMemoryMB }: ServerSettings): number {
  return 1e6 * cacheMemoryMB;
}

function samePair(a: ServerSettings, b: ServerSettings): boolean {
  return a.target === b.target && a.drafter === b.drafter && a.device === b.device;
}
