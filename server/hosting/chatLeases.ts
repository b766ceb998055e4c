// Holds the leases of one client's chat models, which can differ from the model of suggestions. Besides that model, one
// chat model is in memory at a time; others stay only while requests to them run.
import type { ClientSettings } from '../protocol/messages';
import { UserError } from '../rules/userError';
import { Lease } from './lease';
import type { Model } from './model';
import type { ModelPool } from './modelPool';
import { usesRemote } from './pairName';

const REMOTE_PREFIX = 'remote ';
const BASE_MODEL = 'This model only completes text. Choose a chat model.';

export class ChatLeases {
  /** Leases by the name of the model. */
  readonly #leases = new Map<string, Lease>();
  /** Name of the model of the latest request. */
  #latest = '';

  constructor(
    private readonly pool: ModelPool,
    private readonly log: (line: string) => void,
  ) {}

  /**
   * Runs `work` with the model of `settings`. Throws UserError if it cannot be loaded or only completes text; there is
   * no fallback.
   */
  async use<T>(settings: ClientSettings, work: (model: Model) => Promise<T>): Promise<T> {
    const name = modelName(settings);
    this.#latest = name;
    this.#endUnused();
    const lease = this.#leases.get(name) ?? this.#add(name);
    // Without `enable`, chats work even while suggestions are off.
    void lease.configure({ ...settings, enable: undefined, load: 'firstUse' });
    try {
      return await lease.use(async (model) => {
        if (model !== undefined && !model.info.isBase) return await work(model);
        this.#end(name);
        const problem = model ? BASE_MODEL : (lease.status.message ?? 'The model was unloaded. Try again.');
        throw new UserError(problem);
      });
    } finally {
      this.#endUnused();
    }
  }

  /** Ends the leases of remote engines that the settings no longer name, so that nothing more is sent to them. */
  configure(settings: ClientSettings): void {
    const current = usesRemote(settings) ? modelName(settings) : undefined;
    for (const name of this.#leases.keys())
      if (name.startsWith(REMOTE_PREFIX) && name !== current) this.#end(name);
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#leases.values()].map((lease) => lease.dispose()));
  }

  #add(name: string): Lease {
    const lease = new Lease(this.pool, this.log, { mayFallBack: false });
    this.#leases.set(name, lease);
    return lease;
  }

  /** Ends the leases without a running request, except that of the latest one. */
  #endUnused(): void {
    for (const [name, lease] of this.#leases) {
      const isRunning = lease.lastUse === Infinity;
      if (name !== this.#latest && !isRunning) this.#end(name);
    }
  }

  #end(name: string): void {
    void this.#leases.get(name)?.dispose();
    this.#leases.delete(name);
  }
}

function modelName(settings: ClientSettings): string {
  const { target, drafter, remote } = settings;
  return usesRemote(settings) ? `${REMOTE_PREFIX}${remote.url}` : `${target} ${drafter}`;
}
