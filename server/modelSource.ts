// What this machine says of its models: where they lie, which load, and what was measured of them.
// Loads none.
import { cacheFolder } from './hub/repositoryCache';
import type { ModelDirectories, ModelSource } from './hub/modelSource';
import { pairDirectories } from './pairDirectories';
import { ProfileStore, type LastLoad } from './profileStore';

/** As the setting names them; the usual one first. */
const DEVICES = ['auto', 'gpu', 'cpu'] as const;

export function modelSource(): ModelSource {
  return {
    cache: cacheFolder(undefined),
    env: process.env,
    // Imported late, as it loads the native addon.
    loadable: async () => (await import('./models/registry')).loadable,
    directories: ({ target, drafter }): ModelDirectories => pairDirectories(target, drafter),
    measured: (directories) => {
      const loads = DEVICES.map((device) => new ProfileStore(directories, device).lastLoad());
      const first = <K extends keyof LastLoad>(key: K): LastLoad[K] | undefined =>
        loads.map((load) => load[key]).find((value) => value !== undefined);
      return { infill: first('infill'), tokensPerSecond: first('decodeTokensPerSecond') };
    },
  };
}
