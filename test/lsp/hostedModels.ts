// Leases of models, one for each window, in one pool whose loads and clock a test controls.
import { Lease } from '../../server/hosting/lease';
import type { LoadModel, ModelPool } from '../../server/hosting/modelPool';
import { DEFAULT_SETTINGS } from '../../server/hosting/settings';
import type { ClientSettings, StatusParams } from '../../server/protocol/messages';
import { poolOf, type PoolParts } from '../support/poolOf';
import { ControlledLoads } from './controlledLoads';
import { ManualClock } from './manualClock';

/** Parts of the pool that a test replaces. */
export interface HostedParts extends PoolParts {
  readonly load?: LoadModel;
}

export class HostedModels {
  readonly loads: ControlledLoads;
  readonly clock = new ManualClock();
  readonly pool: ModelPool;

  constructor(ends: 'instant' | 'manual' = 'instant', { load, ...parts }: HostedParts = {}) {
    this.loads = new ControlledLoads(ends);
    this.pool = poolOf(load ?? this.loads.load, parts);
  }

  window(): Window {
    return new Window(this.pool);
  }
}

/** A window with its lease, and the messages that it received. */
export class Window {
  readonly statuses: StatusParams[] = [];
  readonly logs: string[] = [];
  readonly lease: Lease;

  constructor(pool: ModelPool) {
    const onStatus = () => void this.statuses.push(this.lease.status);
    this.lease = new Lease(pool, (line) => void this.logs.push(line), { onStatus });
  }

  get status(): StatusParams | undefined {
    return this.statuses.at(-1);
  }

  get states(): string[] {
    return this.statuses.map(({ state }) => state);
  }

  configure(settings: Partial<ClientSettings> = {}): Promise<void> {
    return this.lease.configure({ ...DEFAULT_SETTINGS, ...settings });
  }

  /** Returns the target that a request gets. */
  async requestedTarget(): Promise<string | undefined> {
    return await this.lease.use((model) => Promise.resolve(model?.info.target));
  }
}
