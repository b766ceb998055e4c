// Hosts of models, one for each window, on one pool whose loads and clock a test controls.
import { ModelHost } from '../../server/lsp/modelHost';
import { ModelPool, type PoolParts } from '../../server/lsp/modelPool';
import { DEFAULT_SETTINGS } from '../../server/lsp/settings';
import type { ServerSettings, StatusParams } from '../../server/protocol';
import { ControlledLoads } from './controlledLoads';
import { ManualClock } from './manualClock';

export class HostedModels {
  readonly loads: ControlledLoads;
  readonly clock = new ManualClock();
  readonly pool: ModelPool;

  constructor(ends: 'atOnce' | 'whenTold' = 'atOnce', parts: Partial<PoolParts> = {}) {
    this.loads = new ControlledLoads(ends);
    this.pool = new ModelPool({ load: this.loads.load, clock: this.clock, ...parts });
  }

  window(): Window {
    return new Window(this.pool, this.clock);
  }
}

/** What a window is told, and its host. */
export class Window {
  readonly statuses: StatusParams[] = [];
  readonly logs: string[] = [];
  readonly host: ModelHost;

  constructor(pool: ModelPool, clock: ManualClock) {
    const outbox = {
      status: (status: StatusParams) => void this.statuses.push(status),
      stats: () => undefined,
    };
    this.host = new ModelHost(pool, outbox, (line) => void this.logs.push(line), clock);
  }

  get status(): StatusParams | undefined {
    return this.statuses.at(-1);
  }

  get states(): string[] {
    return this.statuses.map(({ state }) => state);
  }

  configure(settings: Partial<ServerSettings> = {}): Promise<void> {
    return this.host.configure({ ...DEFAULT_SETTINGS, ...settings });
  }

  /** The target that a request gets. */
  async asked(): Promise<string | undefined> {
    return await this.host.use((model) => Promise.resolve(model?.info.target));
  }
}
