// What this machine says of its models: which load, and what was measured of them.
// Loads none.
import type { ModelSource } from './hub/catalogue';
import { cacheFolder } from './hub/repositoryCache';
import { ProfileStore, type LastLoad } from './profileStore';

/** As the setting names them; the usual one first. */
const DEVICES = ['auto', 'gpu', 'cpu'] as const;

export function modelSource(): ModelSource {
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
