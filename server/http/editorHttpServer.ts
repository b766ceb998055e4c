// The HTTP server for other tools within a process that serves editors. It is off until a window starts it, and leases
// models from the pool that the windows use, so that no pair is loaded twice.
import { localPair } from '../hosting/pairName';
import type { HttpServing } from '../hosting/httpServing';
import { Lease } from '../hosting/lease';
import type { ModelPool } from '../hosting/modelPool';
import type { ClientSettings, ServerSettings } from '../protocol/messages';
import { OneAtATime } from '../rules/oneAtATime';
import { NO_REMOTE } from '../rules/serverSettings';
import type { HttpServer } from './httpServer';
import { SERVER_DEFAULTS } from './serverOptions';

interface Running {
  readonly server: HttpServer;
  readonly lease: Lease;
  /** The window that started it, whose settings apply. */
  readonly owner: object;
}

/** Time for running requests when the server stops; short, as the user waits for the command to finish. */
const STOP_MS = 1_000;

export class EditorHttpServer implements HttpServing {
  readonly #listeners = new Set<() => void>();
  #running: Running | undefined;
  readonly #turns = new OneAtATime();

  constructor(private readonly pool: ModelPool) {}

  get address(): string | undefined {
    return this.#running?.server.address;
  }

  start(owner: object, settings: ServerSettings, log: (line: string) => void): Promise<string> {
    return this.#turns.run(async () => {
      const { server } = (this.#running ??= await this.#start(owner, settings, log));
      this.#notify();
      return server.address;
    });
  }

  stop(): Promise<void> {
    return this.#turns.run(async () => {
      const running = this.#running;
      this.#running = undefined;
      this.#notify();
      await running?.server.stop(STOP_MS);
      await running?.lease.dispose();
    });
  }

  configure(owner: object, settings: ServerSettings): void {
    // Takes its turn, so that settings that arrive while the server starts apply too.
    void this.#turns.run(() => {
      if (this.#running?.owner === owner) void this.#running.lease.configure(onDemand(settings));
      return Promise.resolve();
    });
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #start(owner: object, settings: ServerSettings, log: (line: string) => void): Promise<Running> {
    // Imported on demand, so that a server for editors starts without it.
    const { HttpServer } = await import('./httpServer');
    const lease = new Lease(this.pool, log);
    const server = await HttpServer.start({
      host: '127.0.0.1',
      port: settings.serve.port,
      models: lease,
      access: { hosts: [], corsOrigins: [] },
      ...SERVER_DEFAULTS,
      // Without logRequest: a line for each request would bury the rest of the log.
      log,
    });
    await lease.configure(onDemand(settings));
    return { server, lease, owner };
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/**
 * Returns the settings of the server's lease: models are loaded with the first request, also while suggestions are off.
 * Requests of other tools never go to a remote engine, as the user consented to it for this editor only.
 */
function onDemand(settings: ServerSettings): ClientSettings {
  return { ...settings, ...localPair(settings), remote: NO_REMOTE, enable: undefined, load: 'firstUse' };
}
