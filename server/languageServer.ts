// Builds the language server: the models of the process, how they are loaded with the findings of earlier loads, and
// the handlers of each connection. The addon is loaded with the first model, so that the server starts without it and
// can report what is wrong.
import { basename } from 'node:path';
import type { Connection } from 'vscode-languageserver/node';
import { settle } from './completion/suggest';
import type { ModelSource } from './hub/catalogue';
import { ToolServer } from './http/toolServer';
import { pairDirectories, repositoryOf } from './hub/pairDirectories';
import { cacheFolder } from './hub/repositoryCache';
import type { LoadModel, PairChoice } from './lsp/loadedModel';
import { ModelPool } from './lsp/modelPool';
import { startServer, type Served } from './lsp/server';
import { memoryPressure, powerSource } from './machineState';
import { modelFingerprint } from './modelFingerprint';
import { ConfigFields } from './models/configFields';
import { measuredOf, ProfileStore } from './profileStore';
import { drafterBitsOf } from './rules/serverSettings';

/** Listens until the client shuts down; the owner of the stream calls `end` if it closes without a shutdown. */
export function languageServer(connection: Connection, pool = modelPool(), tools = toolServer(pool)): Served {
  const pluggedIn = powerSource();
  return startServer({ connection, pool, settle, pluggedIn, modelSource: modelSource(), tools });
}

/** One per process: a pair that several connections use is in memory once. */
export function modelPool(): ModelPool {
  return new ModelPool({ load: loadNamedPair, identify: pairIdentity, memoryPressure: memoryPressure() });
}

/** One per process, off until a window starts it. */
export function toolServer(pool: ModelPool): ToolServer {
  return new ToolServer(pool);
}

/** Catches typos in a setting here, before a working pair is given up. */
export function pairIdentity({ target, drafter, drafterBits, device }: PairChoice): string {
  const { targetDirectory, drafterDirectory } = pairDirectories(target, drafter, { measured: measuredOf });
  ConfigFields.ofModel(targetDirectory);
  // Different weights in the same folder are a different pair.
  const files = [targetDirectory, drafterDirectory ?? ''].map(modelFingerprint);
  return JSON.stringify([targetDirectory, drafterDirectory, drafterBits, device, files]);
}

/** An unusable drafter is reported and does not stop the load: suggestions still work without it. */
export const loadNamedPair: LoadModel = async (choice, onProgress, promptCache) => {
  const { target, drafter, device } = choice;
  const { Engine } = await import('./engine/engine');
  performance.mark('engine');
  const directories = pairDirectories(target, drafter, { measured: measuredOf });
  const pair = { ...directories, drafterBits: drafterBitsOf(choice.drafterBits) };
  const store = new ProfileStore(pair, device);
  const [problems, notes]: [string[], string[]] = [[], []];
  const engine = await Engine.load({
    ...pair,
    device: device === 'auto' ? undefined : device,
    profile: store.read(),
    onProgress,
    promptCache,
    onDrafterMismatch: ({ message }) => problems.push(message),
    onNote: (note) => notes.push(note),
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
    notes,
  };
};

/** The name of the folder or of its repository in the cache, or `embedded` if the user named none. */
function nameOf(directory: string, chosen: string): string {
  return chosen === '' ? 'embedded' : (repositoryOf(directory) ?? basename(directory));
}

/** What is known of models on this machine: which can be loaded, and what was measured. Loads none. */
function modelSource(): ModelSource {
  return {
    cache: cacheFolder(undefined),
    env: process.env,
    // Imported late, as it loads the native addon.
    loadable: async () => (await import('./models/registry')).loadable,
    measured: measuredOf,
  };
}
