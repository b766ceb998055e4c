// Fakes of model loads that end when a test says so, and engines that record that they are freed.
import { PairProfile, type ProfileSnapshot } from '../../server/engine/draftLength/profile';
import type { CacheBudget } from '../../server/engine/engine';
import type { LoadModel } from '../../server/hosting/modelPool';
import { ScriptedEngine } from './scriptedEngine';

/** Engine whose disposal a test can delay. */
export class WatchedEngine extends ScriptedEngine {
  /** Budgets of the prompt cache in the order in which they were set (bytes). */
  readonly budgets: number[] = [];
  /** Last of these budgets, with all limits. */
  lastBudget: CacheBudget | undefined;
  readonly profile: ProfileSnapshot = new PairProfile().snapshot();
  /** Disposal waits for this promise. */
  freed: Promise<void> = Promise.resolve();

  override resizeCache(budget?: CacheBudget): void {
    this.budgets.push(budget?.bytes ?? NaN);
    this.lastBudget = budget;
  }

  override async dispose(): Promise<void> {
    await this.freed;
    await super.dispose();
  }
}

interface Load {
  readonly target: string;
  readonly engine: WatchedEngine;
  readonly finish: () => void;
  readonly fail: (error: Error) => void;
}

/** Loads that succeed immediately (`instant`), or when a test calls `finish` or `fail` (`manual`). */
export class ControlledLoads {
  /** Loads in the order in which they began. */
  readonly all: Load[] = [];
  /** Profiles that were stored, with the engines that they belong to. */
  readonly remembered: { readonly engine: WatchedEngine; readonly profile: ProfileSnapshot }[] = [];
  /** Targets that cannot be loaded, with the error message for each. */
  readonly failing = new Map<string, string>();

  constructor(private readonly ends: 'instant' | 'manual' = 'instant') {}

  get targets(): string[] {
    return this.all.map(({ target }) => target);
  }

  get engines(): WatchedEngine[] {
    return this.all.map(({ engine }) => engine);
  }

  readonly load: LoadModel = ({ target }) => {
    const engine = new WatchedEngine();
    const remember = (): void => void this.remembered.push({ engine, profile: engine.profile });
    const loaded = { engine, target, drafter: undefined, remember };
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        resolve(loaded);
      };
      this.all.push({ target, engine, finish, fail: reject });
      const failure = this.failing.get(target);
      if (failure !== undefined) reject(new Error(failure));
      else if (this.ends === 'instant') finish();
    });
  };
}
