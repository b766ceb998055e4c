// Leases the model of next edits: the model of suggestions, or a separate one that the settings name.
import type { ClientSettings, StatusParams } from '../protocol/messages';
import { NO_REMOTE } from '../rules/serverSettings';
import type { Model } from './model';
import { Lease } from './lease';
import type { ModelPool } from './modelPool';
import { usesRemote } from './pairName';

export class NextEditLease {
  #separate: Lease | undefined;

  constructor(
    private readonly pool: ModelPool,
    /** Lease of the model of suggestions. */
    private readonly shared: Lease,
    /** Called after each change of a separate model's status. */
    private readonly onStatus: () => void,
    private readonly log: (line: string) => void,
  ) {}

  /** Applies new settings. Releases a separate model that they no longer name. */
  configure(settings: ClientSettings): void {
    const { nextEdit, nextEditModel, target } = settings;
    const isShared = nextEditModel === '' || (nextEditModel === target && !usesRemote(settings));
    if (nextEdit === 'off' || isShared) return void this.dispose();
    this.#separate ??= new Lease(this.pool, this.log, { onStatus: this.onStatus, mayFallBack: false });
    // No drafter: drafts for edits are looked up in the text. The model loads with the first request.
    const choice = { target: nextEditModel, drafter: 'none', remote: NO_REMOTE, load: 'firstUse' } as const;
    void this.#separate.configure({ ...settings, ...choice });
  }

  /** Status of a separate model for next edits; undefined if the settings name none. */
  get separateStatus(): StatusParams | undefined {
    return this.#separate?.status;
  }

  /** Model in memory, or remote engine in use. */
  get model(): Model | undefined {
    return (this.#separate ?? this.shared).model;
  }

  /** Loads the model if necessary, and runs `work` with it; with undefined if it cannot be loaded. */
  async use<T>(work: (model: Model | undefined) => Promise<T>): Promise<T> {
    return await (this.#separate ?? this.shared).use(work);
  }

  async dispose(): Promise<void> {
    const separate = this.#separate;
    this.#separate = undefined;
    await separate?.dispose();
  }
}
