// Builds the language server: the models of the process, how they are loaded with what earlier loads have found out, and
// for each connection its handlers. The addon is loaded with the first model, so that the server starts without it and
// can say what is wrong.
import { basename } from 'node:path';
import type { Connection } from 'vscode-languageserver/node';
import { settle } from './completion/suggest';
import type { ModelSource } from './hub/catalogue';
import { pairDirectories, repositoryOf } from './hub/pairDirectories';
import { cacheFolder } from './hub/repositoryCache';
import type { LoadModel, PairChoice } from './lsp/loadedModel';
import { ModelPool } from './lsp/modelPool';
import { startServer, type Served } from './lsp/server';
import { memoryPressure, powerSource } from './machineState';
import { modelFingerprint } from './modelFingerprint';
import { ConfigFields } from './models/configFields';
import { ProfileStore } from './profileStore';
import { drafterBitsOf } from './rules/serverSettings';

/** As the setting names them; the usual one first. */
const DEVICES = ['auto', 'gpu', 'cpu'] as const;

/** Listens until the client shuts down; who owns the stream calls `end` when it closes without that. */
export function languageServer(connection: Connection, pool = modelPool()): Served {
  return startServer({ connection, pool, settle, pluggedIn: powerSource(), modelSource: modelSource() });
}

/** One for each process: what several connections name alike is in memory once. */
export function modelPool(): ModelPool {
  return new ModelPool({ load: loadNamedPair, identify: pairIdentity, memoryPressure: memoryPressure() });
}

/** A typing error in a setting is found out here, before a pair that works is given up for it. */
export function pairIdentity({ target, drafter, drafterBits, device }: PairChoice): string {
  const { targetDirectory, drafterDirectory } = pairDirectories(target, drafter);
  ConfigFields.ofModel(targetDirectory);
  // Other weights in the same folder are another pair.
  const files = [targetDirectory, drafterDirectory ?? ''].map(modelFingerprint);
  return JSON.stringify([targetDirectory, drafterDirectory, drafterBits, device, files]);
}

/** Somebody waits for suggestions, so a drafter that cannot be used is a problem to report and not an end. */
export const loadNamedPair: LoadModel = async (choice, onProgress, promptCache) => {
  const { target, drafter, device } = choice;
  const { Engine } = await import('./engine/engine');
  performance.mark('engine');
  const directories = pairDirectories(target, drafter);
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

/** The folder's name or that of its repository in the cache, or `embedded` where the person named none. */
function nameOf(directory: string, chosen: string): string {
  return chosen === '' ? 'embedded' : (repositoryOf(directory) ?? basename(directory));
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
      return {
        infill: loads.find(({ infill }) => infill)?.infill,
        tokensPerSecond: loads.find((load) => load.decodeTokensPerSecond)?.decodeTokensPerSecond,
      };
    },
  };
}
