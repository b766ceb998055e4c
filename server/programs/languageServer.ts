// Builds the language server: the models of the process, how they are loaded with the findings of earlier loads, and
// the handlers of each connection. The addon is loaded with the first model, so that the server starts without it and
// can report what is wrong.
import { basename, join } from 'node:path';
import type { Connection } from 'vscode-languageserver/node';
import { settle } from '../completion/session/suggest';
import type { ModelSource } from '../hub/catalogue';
import { ensureHomeFolder, modelCacheFolder } from '../machine/folders';
import { ToolServer } from '../http/toolServer';
import { repositoryOf } from '../hub/pairDirectories';
import { ModelPool } from '../hosting/modelPool';
import { startServer, type Served, type ServerParts } from '../lsp/server';
import { measuredOf } from '../hosting/profileStore';
import { memoryPressure, powerSource } from '../machine/thisMachine';
import { ConfigFields } from '../models/checkpoint/configFields';
import { isBaseModel } from '../hosting/usableModel';
import { CpuLimitReached } from '../machine/cpuLimit';
import { othersTurn } from '../machine/turns';
import { pairIdentity, PairLoader, reachRemote } from './pairLoader';
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
  const loader = new PairLoader();
  return new ModelPool({
    load: (choice, onProgress, watch) => loader.loadMarked(choice, onProgress, watch),
    identify: pairIdentity,
    reach: reachRemote,
    memoryPressure: memoryPressure(),
  });
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
