// Builds the language server: the models of the process, and for each connection its handlers. The addon is loaded
// with the first model, so that the server starts without it and can say what is wrong.
import { basename } from 'node:path';
import type { Connection } from 'vscode-languageserver/node';
import { settle } from './completion/settle';
import type { ResidentPrefixes } from './engine/residentPrefixes';
import { repositoryOf } from './hub/namedModel';
import type { NamedEngine, PairChoice } from './lsp/loadedModel';
import { ModelPool } from './lsp/modelPool';
import { startServer, type Served } from './lsp/server';
import { memoryPressure } from './memoryPressure';
import { modelFingerprint } from './modelFingerprint';
import { readConfig } from './models/readConfig';
import { modelSource } from './modelSource';
import { pairDirectories } from './pairDirectories';
import { powerSource } from './powerSource';
import { ProfileStore } from './profileStore';

/** One for each process: what several connections name alike is in memory once. */
export function modelPool(): ModelPool {
  return new ModelPool({ load: loadModel, identify: pairIdentity, memoryPressure: memoryPressure() });
}

/** Listens until the client shuts down; who owns the stream calls `end` when it closes without that. */
export function languageServer(connection: Connection, pool = modelPool()): Served {
  return startServer({ connection, pool, settle, pluggedIn: powerSource(), modelSource: modelSource() });
}

/** A typing error in a setting is found out here, before a pair that works is given up for it. */
function pairIdentity({ target, drafter, device }: PairChoice): string {
  const { targetDirectory, drafterDirectory } = pairDirectories(target, drafter);
  readConfig(targetDirectory);
  // Other weights in the same folder are another pair.
  const files = [targetDirectory, drafterDirectory ?? ''].map(modelFingerprint);
  return JSON.stringify([targetDirectory, drafterDirectory, device, files]);
}

/** Somebody waits for suggestions, so a drafter that cannot be used is a problem to report and not an end. */
async function loadModel(
  { target, drafter, device }: PairChoice,
  onProgress: (fraction: number) => void,
  residents?: ResidentPrefixes,
): Promise<NamedEngine> {
  const { Engine } = await import('./engine/engine');
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
}

/** The folder's name or that of its repository in the cache, or `embedded` where the person named none. */
function nameOf(directory: string, chosen: string): string {
  return chosen === '' ? 'embedded' : (repositoryOf(directory) ?? basename(directory));
}
