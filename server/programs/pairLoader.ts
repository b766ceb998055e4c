// Loads the models that the settings name: a local pair, with the measurements of its earlier loads, or a remote
// engine. The native addon is imported with the first local pair, so that the server starts without it.
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { Scheduler } from '../engine/scheduler';
import type { LoadedEngine } from '../hosting/model';
import type { LoadObserver, ModelLoader } from '../hosting/modelPool';
import { type PairName, serverDrafter, usesRemote } from '../hosting/pairName';
import { markLoad } from '../hosting/loadMark';
import { measuredSpeed, ProfileStore } from '../hosting/profileStore';
import { modelFingerprint } from '../hosting/modelFingerprint';
import { pairDirectories, repositoryOf } from '../hub/pairDirectories';
import { ConfigFields } from '../models/checkpoint/configFields';
import type { RemoteChoice } from '../remote/remoteEngine';
import { isProgram, isStartedHere } from '../rules/remoteAddress';
import { drafterBitsOf } from '../rules/serverSettings';

export class PairLoader implements ModelLoader {
  readonly identify = pairIdentity;
  readonly reach = reachRemote;
  /** Scheduler shared by all pairs, as they compute on one device. */
  readonly #scheduler = new Scheduler();

  /**
   * Loads the models, and marks the load, unless the target is built in or remote. Rejects with LoadCrash for a pair
   * whose loads have crashed two processes; the caller then falls back to another pair.
   */
  async load(name: PairName, observer: LoadObserver): Promise<LoadedEngine> {
    const { target } = name;
    const isMarked = target !== '' && !usesRemote(name);
    const endMark = isMarked ? markLoad(pairIdentity(name), target) : undefined;
    try {
      return await this.#load(name, observer);
    } finally {
      endMark?.();
    }
  }

  /** Loads the models. Reports a drafter that cannot be used, and goes on without it. */
  async #load(name: PairName, observer: LoadObserver): Promise<LoadedEngine> {
    if (usesRemote(name)) return await openRemoteEngine(name, observer);
    const { target, drafter, device, strict } = name;
    const { Engine } = await import('../engine/engine');
    // bench/start times the stages of a start by this mark.
    performance.mark('engine');
    const directories = pairDirectories(target, drafter, { measured: measuredSpeed });
    const pair = { ...directories, drafterBits: drafterBitsOf(name.drafterBits), strict };
    const store = new ProfileStore(pair, device);
    const engine = await Engine.load({
      ...pair,
      scheduler: this.#scheduler,
      device: device === 'auto' ? undefined : device,
      profile: store.read(),
      onProgress: (fraction) => {
        observer.onProgress(fraction);
      },
      onNote: (note) => {
        observer.log(note);
      },
    });
    const { targetDirectory, drafterDirectory } = directories;
    const drafterProblem = engine.drafterProblem?.message;
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

/** Returns the identity of the models that a name means. Throws UserError for a wrong setting or folder. */
export function pairIdentity(name: PairName): string {
  const { target, drafter, drafterBits, device, strict } = name;
  if (usesRemote(name)) return remoteIdentity(name);
  const { targetDirectory, drafterDirectory } = pairDirectories(target, drafter, { measured: measuredSpeed });
  // Throws for a folder without a model now, before a working pair is freed for it.
  ConfigFields.ofModel(targetDirectory);
  // A folder whose files change is another pair.
  const files = [targetDirectory, drafterDirectory ?? ''].map(modelFingerprint);
  return JSON.stringify([targetDirectory, drafterDirectory, drafterBits, device, strict, files]);
}

/** Rejects with the reason if the remote engine cannot be used. */
async function reachRemote(name: PairName): Promise<void> {
  // A server that Flashline starts itself is perhaps not running yet.
  if (isProgram(name.remote?.url)) return;
  const { engine } = await openRemoteEngine(name);
  await engine.dispose();
}

async function openRemoteEngine(name: PairName, observer?: LoadObserver): Promise<LoadedEngine> {
  const { openRemote } = await import('../remote/openRemote');
  const engine = await openRemote(remoteChoice(name), observer);
  // Some servers list their models to every client, and then refuse completions.
  if (!isStartedHere(engine.remote.host)) await engine.requireAnswer();
  return {
    engine,
    target: engine.config.modelType,
    drafter: undefined,
    // Nothing is measured for a remote engine.
    remember: () => undefined,
  };
}

function remoteChoice(name: PairName): RemoteChoice {
  const { remote, remoteKey: key } = name;
  const { url = '', model = '', tokenizer = '' } = remote ?? {};
  return { url, model, tokenizer, drafter: serverDrafter(name), key };
}

/** Returns the identity of a remote engine. Hashes the key, so that the identity does not reveal it. */
function remoteIdentity(name: PairName): string {
  const { key = '', ...named } = remoteChoice(name);
  return JSON.stringify(['remote', named, createHash('sha256').update(key).digest('hex')]);
}

/** Returns the repository of a cached folder, or the folder's name; `embedded` if the settings name no model. */
function displayName(directory: string, chosen: string): string {
  return chosen === '' ? 'embedded' : (repositoryOf(directory) ?? basename(directory));
}
