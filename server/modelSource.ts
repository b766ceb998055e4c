// What this machine says of its models: where they lie, which load, and what was measured of them.
// Loads none.
import { cacheFolder } from './hub/repositoryCache';
import type { ModelDirectories, ModelSource } from './hub/modelSource';
import { pairDirectories } from './pairDirectories';
import { ProfileStore } from './profileStore';

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
      const last = loads.find((load) => load !== undefined);
      return { infill: last?.infill, tokensPerSecond: last?.decodeTokensPerSecond };
    },
  };
}
