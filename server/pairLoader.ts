// How the language server loads a pair that the settings name, with what earlier loads have found out. Knows neither
// connections nor who uses the pair.
import { basename } from 'node:path';
import type * as engineModule from './engine/engine';
import { pairDirectories, repositoryOf } from './hub/pairDirectories';
import type { LoadModel, PairChoice } from './lsp/loadedModel';
import { modelFingerprint } from './modelFingerprint';
import { ConfigFields } from './models/configFields';
import { ProfileStore } from './profileStore';

/** A typing error in a setting is found out here, before a pair that works is given up for it. */
export function pairIdentity({ target, drafter, device }: PairChoice): string {
  const { targetDirectory, drafterDirectory } = pairDirectories(target, drafter);
  ConfigFields.ofModel(targetDirectory);
  // Other weights in the same folder are another pair.
  const files = [targetDirectory, drafterDirectory ?? ''].map(modelFingerprint);
  return JSON.stringify([targetDirectory, drafterDirectory, device, files]);
}

/**
 * Somebody waits for suggestions, so a drafter that cannot be used is a problem to report and not an end. `importEngine`
 * loads the native addon.
 */
export function pairLoader(importEngine: () => Promise<Pick<typeof engineModule, 'Engine'>>): LoadModel {
  return async ({ target, drafter, device }, onProgress, residents) => {
    const { Engine } = await importEngine();
    performance.mark('engine');
    const directories = pairDirectories(target, drafter);
    const store = new ProfileStore(directories, device);
    const problems: string[] = [];
    const engine = await Engine.load({
      ...directories,
      device: device === 'auto' ? undefined : device,
      profile: store.read(),
      onProgress,
      residents,
      onDrafterMismatch: ({ message }) => problems.push(message),
    });
    const { targetDirectory, drafterDirectory } = directories;
    const [drafterProblem] = problems;
    return {
      engine,
      probed: store.probed(),
      remember: (profile, infill) => {
        store.write(profile, infill);
      },
      target: nameOf(targetDirectory, target),
      drafter: drafterProblem || !drafterDirectory ? undefined : nameOf(drafterDirectory, drafter || target),
      drafterProblem,
    };
  };
}

/** The folder's name or that of its repository in the cache, or `embedded` where the person named none. */
function nameOf(directory: string, chosen: string): string {
  return chosen === '' ? 'embedded' : (repositoryOf(directory) ?? basename(directory));
}
