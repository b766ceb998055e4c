// Builds the language server: the models of the process, and for each connection its handlers. The addon is loaded
// with the first model, so that the server starts without it and can say what is wrong.
import type { Connection } from 'vscode-languageserver/node';
import { settle } from './completion/settle';
import type { ModelSource } from './hub/catalogue';
import { cacheFolder } from './hub/repositoryCache';
import { ModelPool } from './lsp/modelPool';
import { startServer, type Served } from './lsp/server';
import { memoryPressure } from './memoryPressure';
import { pairIdentity, pairLoader } from './pairLoader';
import { powerSource } from './powerSource';
import { ProfileStore, type LastLoad } from './profileStore';

/** As the setting names them; the usual one first. */
const DEVICES = ['auto', 'gpu', 'cpu'] as const;

/** One for each process: what several connections name alike is in memory once. */
export function modelPool(): ModelPool {
  const load = pairLoader(() => import('./engine/engine'));
  return new ModelPool({ load, identify: pairIdentity, memoryPressure: memoryPressure() });
}

/** Listens until the client shuts down; who owns the stream calls `end` when it closes without that. */
export function languageServer(connection: Connection, pool = modelPool()): Served {
  return startServer({ connection, pool, settle, pluggedIn: powerSource(), modelSource: modelSource() });
}

/** What this machine says of its models: which load, and what was measured of them. Loads none. */
function modelSource(): ModelSource {
  return {
    cache: cacheFolder(undefined),
    env: process.env,
    // Imported late, as it loads the native addon.
    loadable: async () => (await import('./models/registry')).loadable,
    measured: (directories) => {
      const loads = DEVICES.map((device) => new ProfileStore(directories, device).lastLoad());
      const first = <K extends keyof LastLoad>(key: K): LastLoad[K] | undefined =>
        loads.map((load) => load[key]).find((value) => value !== undefined);
      return { infill: first('infill'), tokensPerSecond: first('decodeTokensPerSecond') };
    },
  };
}
