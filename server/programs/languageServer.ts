// Builds the language server: the models of the process, how they are loaded with the findings of earlier loads, and
// the handlers of each connection. The addon is loaded with the first model, so that the server starts without it and
// can report what is wrong.
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import type { Connection } from 'vscode-languageserver/node';
import { settle } from '../completion/session/suggest';
import type { ModelSource } from '../hub/catalogue';
import { ensureHomeFolder, modelCacheFolder } from '../machine/folders';
import { ToolServer } from '../http/toolServer';
import { pairDirectories, repositoryOf } from '../hub/pairDirectories';
import type { LoadedFiles, LoadModel, PairChoice } from '../hosting/loadedModel';
import { ModelPool } from '../hosting/modelPool';
import { serverDrafter, usesRemote } from '../hosting/pairCandidates';
import { startServer, type Served, type ServerParts } from '../lsp/server';
import { markLoad, modelFingerprint, measuredOf, ProfileStore } from '../hosting/profileStore';
import { memoryPressure, powerSource } from '../machine/thisMachine';
import { ConfigFields } from '../models/checkpoint/configFields';
import type { LoadWatch } from '../remote/llamaServer';
import type { RemoteChoice } from '../remote/remoteEngine';
import { isProgram, isStartedHere } from '../rules/remoteAddress';
import { drafterBitsOf } from '../rules/serverSettings';
import { isBaseModel } from '../hosting/usableModel';
import { CpuLimitReached } from '../machine/cpuLimit';
import { othersTurn } from '../machine/turns';
import type { ChatFacts } from '../lsp/chatRequests';
import { InputError } from '../rules/inputError';

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
    load: loadMarked,
    identify: pairIdentity,
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
const loadMarked: LoadModel = async (choice, ...watching) => {
  const { target } = choice;
  const isMarked = target !== '' && !usesRemote(choice);
  const ended = isMarked ? markLoad(pairIdentity(choice), target) : undefined;
  try {
    return await loadNamedPair(choice, ...watching);
  } finally {
    ended?.();
  }
};

/** An unusable drafter is reported and does not stop the load: suggestions still work without it. */
export const loadNamedPair: LoadModel = async (choice, onProgress, watch) => {
  if (usesRemote(choice)) return await useRemote(choice, watch);
  const { target, drafter, device, strict } = choice;
  const { Engine } = await import('../engine/engine');
  performance.mark('engine');
  const directories = pairDirectories(target, drafter, { measured: measuredOf });
  const pair = { ...directories, drafterBits: drafterBitsOf(choice.drafterBits), strict };
  const store = new ProfileStore(pair, device);
  const problems: string[] = [];
  const engine = await Engine.load({
    ...pair,
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
    target: nameOf(targetDirectory, target),
    drafter: drafterProblem || !drafterDirectory ? undefined : nameOf(drafterDirectory, drafter || target),
    drafterProblem,
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

// What a downloaded model can do in a chat, by its files: nothing is loaded for it, not even its vocabulary, which takes a
// second. What they say is kept.

const QUESTION = [{ role: 'user', content: 'x' }] as const;
const TOOL = { type: 'function', function: { name: 'x', parameters: { type: 'object', properties: {} } } };
/** Where the config leaves it out; once loaded, a family may know better. */
const USUAL_CONTEXT = 8192;

const known = new Map<string, Promise<ChatFacts | undefined>>();

/** Undefined for a model that only completes, or has no chat template that works. */
export async function chatFacts(directory: string): Promise<ChatFacts | undefined> {
  const facts = known.get(directory) ?? readFacts(directory);
  known.set(directory, facts);
  try {
    return await facts;
  } catch (error) {
    // The next request tries again: the machine can have been busy.
    known.delete(directory);
    if (error instanceof CpuLimitReached) return undefined;
    throw error;
  }
}

async function readFacts(directory: string): Promise<ChatFacts | undefined> {
  // Imported late: a server that is asked for no chat needs none of them.
  const { endTokenIds } = await import('../models/text/tokenizer');
  const { addedTokens } = await import('../models/text/tokenizerFile');
  const { loadChatTemplate, TemplateRefusal } = await import('../models/text/chatTemplate');
  const { parseEosTokenIds, readEosTokenIds } = await import('../models/decoder/decoderConfig');
  await othersTurn();
  try {
    const tokenizer = addedTokens(join(directory, 'tokenizer.json'));
    const template = loadChatTemplate(directory);
    if (template instanceof CpuLimitReached) throw template;
    if (tokenizer === undefined || typeof template !== 'function') return undefined;
    const fields = ConfigFields.ofModel(directory);
    const text = fields.part('text_config');
    const named = readEosTokenIds(directory, parseEosTokenIds(text));
    const eosTokenIds = [...named, ...endTokenIds(directory, tokenizer)];
    const engine = { tokenizer, config: { eosTokenIds }, encodeChat: () => [] };
    if (isBaseModel({ target: repositoryOf(directory) ?? basename(directory), engine })) return undefined;
    const hasTools = (): boolean => {
      try {
        return template(QUESTION, [TOOL]) !== undefined;
      } catch (error) {
        if (error instanceof TemplateRefusal) return false;
        throw error;
      }
    };
    return {
      family: fields.string('model_type'),
      contextTokens: text.integer('max_position_embeddings', { usual: USUAL_CONTEXT }),
      hasTools: hasTools(),
    };
  } catch (error) {
    // Loading the model reports the problem.
    if (error instanceof InputError && !(error instanceof CpuLimitReached)) return undefined;
    throw error;
  }
}
