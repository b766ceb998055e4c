// What a downloaded model can do in a chat, by its files: nothing is loaded for it, not even its vocabulary, which takes a
// second. What they say is kept.
import { basename, join } from 'node:path';
import { isBaseModel } from '../hosting/usableModel';
import { othersTurn } from '../machine/othersTurn';
import { repositoryOf } from '../hub/pairDirectories';
import { ConfigFields } from '../models/checkpoint/configFields';
import type { ChatFacts } from '../lsp/chatRequests';
import { InputError } from '../rules/inputError';

const QUESTION = [{ role: 'user', content: 'x' }] as const;
const TOOL = { type: 'function', function: { name: 'x', parameters: { type: 'object', properties: {} } } };
/** Where the config leaves it out; once loaded, a family may know better. */
const USUAL_CONTEXT = 8192;

const known = new Map<string, Promise<ChatFacts | undefined>>();

/** Undefined for a model that only completes, or has no chat template. */
export function chatFacts(directory: string): Promise<ChatFacts | undefined> {
  const facts = known.get(directory) ?? readFacts(directory);
  known.set(directory, facts);
  return facts;
}

async function readFacts(directory: string): Promise<ChatFacts | undefined> {
  // Imported late: a server that is asked for no chat needs none of them.
  const { endTokenIds } = await import('../models/text/tokenizer');
  const { addedTokens } = await import('../models/text/tokenizerFile');
  const { loadChatTemplate } = await import('../models/text/chatTemplate');
  const { readEosTokenIds } = await import('../models/decoder/decoderConfig');
  await othersTurn();
  try {
    const tokenizer = addedTokens(join(directory, 'tokenizer.json'));
    const template = loadChatTemplate(directory);
    if (tokenizer === undefined || typeof template !== 'function') return undefined;
    const fields = ConfigFields.ofModel(directory);
    const text = fields.part('text_config');
    const eosTokenIds = [...readEosTokenIds(directory, text), ...endTokenIds(directory, tokenizer)];
    const engine = { tokenizer, config: { eosTokenIds }, encodeChat: () => [] };
    if (isBaseModel({ target: repositoryOf(directory) ?? basename(directory), engine })) return undefined;
    return {
      family: fields.string('model_type'),
      contextTokens: text.integer('max_position_embeddings', { usual: USUAL_CONTEXT }),
      hasTools: template(QUESTION, [TOOL]) !== undefined,
    };
  } catch (error) {
    // Whoever chooses it is told when it is loaded.
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
