// Builds the language server: the models of the process, how they are loaded with the findings of earlier loads, and
// the handlers of each connection. The addon is loaded with the first model, so that the server starts without it and
// can report what is wrong.
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Connection } from 'vscode-languageserver/node';
import { settle } from '../completion/session/suggest';
import type { ModelSource } from '../hub/catalogue';
import { chatFacts } from './chatFacts';
import { ensureHomeFolder, modelCacheFolder } from '../machine/folders';
import { ToolServer } from '../http/toolServer';
import { pairDirectories, repositoryOf } from '../hub/pairDirectories';
import type { LoadedFiles, LoadModel, PairChoice } from '../hosting/loadedModel';
import { ModelPool } from '../hosting/modelPool';
import { serverDrafter, usesRemote } from '../hosting/pairCandidates';
import { startServer, type Served, type ServerParts } from '../lsp/server';
import { LoadMarks } from '../hosting/loadMarks';
import { memoryPressure, powerSource } from '../machine/machineState';
import { modelFingerprint, measuredOf, ProfileStore } from '../hosting/profileStore';
import { ConfigFields } from '../models/checkpoint/configFields';
import type { LoadWatch } from '../remote/llamaServer';
import type { RemoteChoice } from '../remote/remoteEngine';
import { isProgram, isStartedHere } from '../rules/remoteAddress';
import { drafterBitsOf } from '../rules/serverSettings';

/** Listens until the client shuts down; the owner of the stream calls `end` if it closes without a shutdown. */
export function languageServer(
  connection: Connection,
  pool = modelPool(),
  { tools = new ToolServer(pool), remote }: Pick<ServerParts, 'tools' | 'remote'> = {},
): Served {
  ensureHomeFolder();
  const parts = { connection, pool, settle, pluggedIn: powerSource(), modelSource: modelSource() };
  return startServer({ ...parts, chatFacts, tools, ...(remote && { remote }) });
}

/** One per process: a pair that several connections use is in memory once. */
export function modelPool(): ModelPool {
  return new ModelPool({
    load: loadNamedPair,
    identify: pairIdentity,
    begin: beginLoad,
    reach: async (choice) => {
      // One that is not running is started in any case.
      if (isProgram(choice.remote?.url)) return;
      await (await import('../remote/remoteEngine')).RemoteEngine.reach(remoteChoice(choice));
    },
    memoryPressure: memoryPressure(),
  });
}

/** Catches typos in a setting here, before a working pair is given up. */
export function pairIdentity(choice: PairChoice): string {
  const { target, drafter, drafterBits, device, strict } = choice;
  if (usesRemote(choice)) return remoteIdentity(choice);
  const { targetDirectory, drafterDirectory } = pairDirectories(target, drafter, { measured: measuredOf });
  ConfigFields.ofModel(targetDirectory);
  // Different weights in the same folder are a different pair.
  const files = [targetDirectory, drafterDirectory ?? ''].map(modelFingerprint);
  return JSON.stringify([targetDirectory, drafterDirectory, drafterBits, device, strict, files]);
}

/** The built-in pair is what is left if another one takes the process down, and a remote engine cannot. */
function beginLoad(name: string, choice: PairChoice): () => void {
  if (choice.target === '' || usesRemote(choice)) return () => undefined;
  return new LoadMarks().begin(name, choice.target);
}

/** An unusable drafter is reported and does not stop the load: suggestions still work without it. */
export const loadNamedPair: LoadModel = async (choice, onProgress, watch) => {
  if (usesRemote(choice)) return await useRemote(choice, watch);
  const { target, drafter, device, strict } = choice;
  const { Engine } = await import('../engine/engine');
  performance.mark('engine');
  const directories = pairDirectories(target, drafter, { measured: measuredOf });
  const pair = { ...directories, drafterBits: drafterBitsOf(choice.drafterBits), strict };
  const store = new ProfileStore(pair, device);
  const [problems, notes]: [string[], string[]] = [[], []];
  const engine = await Engine.load({
    ...pair,
    device: device === 'auto' ? undefined : device,
    profile: store.read(),
    onProgress,
    onDrafterMismatch: ({ message }) => problems.push(message),
    onNote: (note) => notes.push(note),
  });
  const { targetDirectory, drafterDirectory } = directories;
  const [drafterProblem] = problems;
  return {
    engine,
    remember: (profile) => {
      store.write(profile);
    },
    target: nameOf(targetDirectory, target),
    drafter: drafterProblem || !drafterDirectory ? undefined : nameOf(drafterDirectory, drafter || target),
    drafterProblem,
    notes,
  };
};

async function useRemote(choice: PairChoice, watch?: LoadWatch): Promise<LoadedFiles> {
  const { openRemote } = await import('../remote/llamaServer');
  const engine = await openRemote(remoteChoice(choice), watch);
  // Some servers tell anybody their models and refuse completions.
  if (!isStartedHere(engine.remote.host)) await engine.requireAnswer();
  return {
    engine,
    target: engine.config.modelType,
    drafter: undefined,
    // Nothing is measured of it.
    remember: () => undefined,
  };
}

function remoteChoice(choice: PairChoice): RemoteChoice {
  const { remote, remoteKey: key } = choice;
  const { url = '', model = '', tokenizer = '' } = remote ?? {};
  return { url, model, tokenizer, drafter: serverDrafter(choice), key };
}

/** A name in which the key cannot be read. */
function remoteIdentity(choice: PairChoice): string {
  const { key = '', ...named } = remoteChoice(choice);
  return JSON.stringify(['remote', named, createHash('sha256').update(key).digest('hex')]);
}

/** The name of the folder or of its repository in the cache, or `embedded` if the user named none. */
function nameOf(directory: string, chosen: string): string {
  return chosen === '' ? 'embedded' : (repositoryOf(directory) ?? basename(directory));
}

/** What is known of models on this machine: which can be loaded, and what was measured. Loads none. */
function modelSource(): ModelSource {
  return {
    cache: modelCacheFolder(undefined),
    env: process.env,
    // Imported late, as it loads the native addon.
    loadable: async () => (await import('../models/families/registry')).loadable,
    measured: measuredOf,
  };
}
