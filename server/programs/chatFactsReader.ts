// Reads from the files of a model what it can do in chats. Loads neither the model nor its vocabulary, as that takes a
// second.
import { basename, join } from 'node:path';
import { isBaseModel } from '../hosting/isBaseModel';
import { repositoryOf } from '../hub/pairDirectories';
import { yieldTurn } from '../machine/turns';
import { ConfigFields } from '../models/checkpoint/configFields';
import type { ChatTemplate } from '../models/text/chatTemplate';
import { TemplateRefusal } from '../models/text/templateRefusal';
import type { ChatFacts } from '../protocol/messages';
import { UserError } from '../rules/userError';

/** Begins with a system message, which some templates require. Those that refuse one get it in the user's turn. */
const CONVERSATION = [
  { role: 'system', content: 'x' },
  { role: 'user', content: 'x' },
] as const;
const TOOL = {
  type: 'function',
  function: { name: 'x', parameters: { type: 'object', properties: {} } },
} as const;
/** Context length (tokens) if the config has none. The loaded model can have another one, set by its family. */
const DEFAULT_CONTEXT = 8192;

export class ChatFactsReader {
  readonly #facts = new Map<string, Promise<ChatFacts | undefined>>();

  /**
   * Reads the facts about a model; undefined for a base model, and for one that is damaged, has no working chat
   * template or could not be read in time.
   */
  async read(directory: string): Promise<ChatFacts | undefined> {
    const facts = this.#facts.get(directory) ?? readFacts(directory);
    this.#facts.set(directory, facts);
    try {
      return await facts;
    } catch (error) {
      // The next request tries again: the files can have been repaired, or the machine was only busy.
      this.#facts.delete(directory);
      if (error instanceof UserError) return undefined;
      throw error;
    }
  }
}

/** Reads the facts; undefined for a base model and without a template. Throws UserError for damaged files and templates. */
async function readFacts(directory: string): Promise<ChatFacts | undefined> {
  // Imported on demand, so that the server starts without these modules.
  const { endTokenIds } = await import('../models/text/tokenizerConfig');
  const { addedTokens } = await import('../models/text/addedTokens');
  const { loadChatTemplate } = await import('../models/text/chatTemplate');
  const { parseEosTokenIds, readEosTokenIds } = await import('../models/decoder/decoderConfig');
  await yieldTurn();
  const tokenizer = addedTokens(join(directory, 'tokenizer.json'));
  const template = loadChatTemplate(directory);
  if (template instanceof UserError) throw template;
  if (!tokenizer || !template) return undefined;
  const fields = ConfigFields.ofModel(directory);
  const text = fields.part('text_config');
  const configIds = readEosTokenIds(directory, parseEosTokenIds(text));
  const eosTokenIds = [...configIds, ...endTokenIds(directory, tokenizer)];
  const engine = { tokenizer, config: { eosTokenIds }, hasChatTemplate: true };
  if (isBaseModel({ target: repositoryOf(directory) ?? basename(directory), engine })) return undefined;
  return {
    family: fields.string('model_type'),
    contextTokens: text.integer('max_position_embeddings', { fallback: DEFAULT_CONTEXT }),
    hasTools: hasTools(template),
  };
}

function hasTools(template: ChatTemplate): boolean {
  try {
    return template.render(CONVERSATION, [TOOL]) !== undefined;
  } catch (error) {
    if (error instanceof TemplateRefusal) return false;
    throw error;
  }
}
