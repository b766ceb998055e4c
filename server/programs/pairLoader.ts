// Loads the models that a choice in the settings names: a local pair with its earlier measurements, or a remote engine.
// The native addon is imported with the first local pair, so that the server starts without it.
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { Scheduler } from '../engine/scheduler';
import type { LoadedEngine } from '../hosting/model';
import type { LoadModel, ModelLoader } from '../hosting/modelPool';
import { type PairName, serverDrafter, usesRemote } from '../hosting/pairName';
import { markLoad } from '../hosting/loadMark';
import { measuredSpeed, ProfileStore } from '../hosting/profileStore';
import { modelFingerprint } from '../hosting/modelFingerprint';
import { pairDirectories, repositoryOf } from '../hub/pairDirectories';
import { ConfigFields } from '../models/checkpoint/configFields';
import type { LoadCallbacks } from '../remote/llamaServer';
import type { RemoteChoice } from '../remote/remoteEngine';
import { isProgram, isStartedHere } from '../rules/remoteAddress';
import { drafterBitsOf } from '../rules/serverSettings';

export class PairLoader implements ModelLoader {
  readonly identify = pairIdentity;
  readonly reach = reachRemote;
  /** Scheduler shared by all pairs, as they compute on one device. */
  readonly #scheduler = new Scheduler();

  /** Loads the models, and marks the load: if it takes the process down, the next one uses the built-in pair. */
  async load(...[choice, onProgress, watch]: Parameters<LoadModel>): Promise<LoadedEngine> {
    const { target } = choice;
    const isMarked = target !== '' && !usesRemote(choice);
    const endMark = isMarked ? markLoad(pairIdentity(choice), target) : undefined;
    try {
      return await this.#load(choice, onProgress, watch);
    } finally {
      endMark?.();
    }
  }

  /** Loads a pair. Reports a drafter that cannot be used and goes on without it. */
  async #load(...[choice, onProgress, watch]: Parameters<LoadModel>): Promise<LoadedEngine> {
    if (usesRemote(choice)) return await openRemoteEngine(choice, watch);
    const { target, drafter, device, strict } = choice;
    const { Engine } = await import('../engine/engine');
    // End of a stage of the start, for bench/start.
    performance.mark('engine');
    const directories = pairDirectories(target, drafter, { measured: measuredSpeed });
    const pair = { ...directories, drafterBits: drafterBitsOf(choice.drafterBits), strict };
    const store = new ProfileStore(pair, device);
    const problems: string[] = [];
    const engine = await Engine.load({
      ...pair,
      scheduler: this.#scheduler,
      device: device === 'auto' ? undefined : device,
      profile: store.read(),
      onProgress,
      onDrafterMismatch: ({ message }) => problems.push(message),
      onNote: (note) => watch?.log(note),
    });
    const { targetDirectory, drafterDirectory } = directories;
    const [drafterProblem] = problems;
    return {
      engine,
      remember: () => {
        store.write(engine.profile);
      },
      target: displayName(targetDirectory, target),
      drafter:
        drafterProblem || !drafterDirectory ? undefined : displayName(drafterDirectory, drafter || target),
      drafterProblem,
    };
  }
}

/**
 * Returns the identity of a choice's models. Throws UserError for a mistyped setting, before a working pair is freed.
 */
export function pairIdentity(choice: PairName): string {
  const { target, drafter, drafterBits, device, strict } = choice;
  if (usesRemote(choice)) return remoteIdentity(choice);
  const { targetDirectory, drafterDirectory } = pairDirectories(target, drafter, { measured: measuredSpeed });
  ConfigFields.ofModel(targetDirectory);
  // Other weights in the same folder make another pair.
  const files = [targetDirectory, drafterDirectory ?? ''].map(modelFingerprint);
  return JSON.stringify([targetDirectory, drafterDirectory, drafterBits, device, strict, files]);
}

/** Rejects with the reason if the remote engine of a choice cannot be reached. */
async function reachRemote(choice: PairName): Promise<void> {
  // A server that Flashline starts itself need not be running yet.
  if (isProgram(choice.remote?.url)) return;
  const { RemoteEngine } = await import('../remote/remoteEngine');
  await RemoteEngine.reach(remoteChoice(choice));
}

async function openRemoteEngine(choice: PairName, watch?: LoadCallbacks): Promise<LoadedEngine> {
  const { openRemote } = await import('../remote/llamaServer');
  const engine = await openRemote(remoteChoice(choice), watch);
  // Some servers list their models to any client and then refuse completions.
  if (!isStartedHere(engine.remote.host)) await engine.requireAnswer();
  return {
    engine,
    target: engine.config.modelType,
    drafter: undefined,
    // Nothing is measured for a remote engine.
    remember: () => undefined,
  };
}

function remoteChoice(choice: PairName): RemoteChoice {
  const { remote, remoteKey: key } = choice;
  const { url = '', model = '', tokenizer = '' } = remote ?? {};
  return { url, model, tokenizer, drafter: serverDrafter(choice), key };
}

/** Hashes the key, so that it cannot be read from the identity. */
function remoteIdentity(choice: PairName): string {
  const { key = '', ...named } = remoteChoice(choice);
  return JSON.stringify(['remote', named, createHash('sha256').update(key).digest('hex')]);
}

/** Returns the repository of a cached folder or the folder's name, or `embedded` if the user chose none. */
function displayName(directory: string, chosen: string): string {
  return chosen === '' ? 'embedded' : (repositoryOf(directory) ?? basename(directory));
}
