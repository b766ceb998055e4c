// Handles requests about chats: lists chat models, answers conversations and counts tokens. Chats can use another model
// than suggestions; requests for suggestions have priority.
import type { Connection } from 'vscode-languageserver/node';
import { chatAnswer } from '../completion/instruct/chatAnswer';
import { toolCallReader, type ToolCallReader } from '../completion/instruct/toolCallReader';
import { countTokens, encodeChat } from '../hosting/chatEncoding';
import { ChatLeases } from '../hosting/chatLeases';
import type { History } from '../hosting/history';
import type { Model } from '../hosting/model';
import type { Lease } from '../hosting/lease';
import type { ModelPool } from '../hosting/modelPool';
import { DEFAULT_SETTINGS } from '../hosting/settings';
import { catalogue, type ModelSource } from '../hub/catalogue';
import type {
  AnsweredCall,
  ChatFacts,
  ChatModel,
  ChatParams,
  ChatResult,
  ChatTokensParams,
  ClientSettings,
} from '../protocol/messages';
import { fieldsOf } from '../rules/json';
import { MAX_TEXT_LENGTH } from '../rules/notCode';
import { NO_REMOTE } from '../rules/serverSettings';
import { refused } from './refusal';
import { streamGenerated } from './streamGenerated';

/** Reads what a model can do in a chat; undefined for a model without chats. */
export type ReadChatFacts = (directory: string) => Promise<ChatFacts | undefined>;

interface ChatParts {
  readonly connection: Connection;
  readonly pool: ModelPool;
  /** Lease of the model of suggestions. */
  readonly lease: Lease;
  readonly history: History;
  readonly source: ModelSource;
  readonly chatFacts: ReadChatFacts;
  readonly log: (line: string) => void;
}

/** A chat model and the settings that name it. `pair` is undefined for the remote engine of the settings. */
interface Offer {
  readonly model: ChatModel;
  readonly pair: { readonly target: string; readonly drafter: string } | undefined;
}

/** File name of chats in statistics. */
const FILE = 'chat';
/** Id of the chat model of a remote engine. */
const REMOTE_ID = 'remote';

export class ChatRequests {
  readonly #leases: ChatLeases;
  #settings = DEFAULT_SETTINGS;
  #offers: readonly Offer[] = [];

  constructor(private readonly parts: ChatParts) {
    this.#leases = new ChatLeases(parts.pool, parts.log);
  }

  /** Lists the chat models. */
  async models(): Promise<ChatModel[]> {
    return (await this.#listOffers()).map(({ model }) => model);
  }

  /** Counts the tokens of a text. */
  async tokenCount({ model: id, text }: ChatTokensParams): Promise<number> {
    requireLength(text);
    return await this.#use(id, (model) => countTokens(text, model));
  }

  /** Answers a conversation, and streams the text of the answer. */
  async answer(
    { model: id, messages, tools = [], partialResultToken }: ChatParams,
    signal: AbortSignal,
  ): Promise<ChatResult> {
    requireLength(JSON.stringify([messages, tools]));
    return await this.#use(id, async (model, chat) => {
      const promptIds = await encodeChat({ messages, tools, variables: {} }, model);
      const { tokenizer, config } = model.engine;
      if (promptIds === undefined || tokenizer === undefined)
        throw refused('This model does not support tools. Leave them out or choose another model.');
      const { maxPositionEmbeddings: context } = config;
      const { length } = promptIds;
      if (length >= context)
        throw refused(`Expected fewer than ${String(context)} tokens, got ${String(length)}; send less`);
      const reader = tools.length > 0 ? toolCallReader(tools, tokenizer) : undefined;
      const maxTokens = Math.min(chat.maxTokens, context - length);
      const generation = { file: FILE, settings: this.#settings, signal, stream: partialResultToken };
      const result = await streamGenerated(model, this.parts, generation, (decoder) =>
        chatAnswer(promptIds, { maxTokens, reader, signal }, decoder),
      );
      return { ...result, calls: (reader?.calls ?? []).map(chatCall) };
    });
  }

  /** Applies new settings. */
  configure(settings: ClientSettings): void {
    this.#settings = settings;
    this.#leases.configure(settings);
  }

  async dispose(): Promise<void> {
    await this.#leases.dispose();
  }

  /** Runs `work` with the chat model of an id. */
  async #use<T>(id: string, work: (model: Model, chat: ChatModel) => Promise<T>): Promise<T> {
    const hasId = ({ model }: Offer): boolean => model.id === id;
    const offer = this.#offers.find(hasId) ?? (await this.#listOffers()).find(hasId);
    const settings = this.#settings;
    if (offer === undefined || (offer.pair === undefined && settings.remote.url === ''))
      throw refused('That chat model is gone. Choose another model.');
    const pair = offer.pair && { ...offer.pair, remote: NO_REMOTE };
    return await this.#leases.use({ ...settings, ...pair }, (model) => work(model, offer.model));
  }

  /** Lists the chat models, each with one pair: the one in use, or else the first in the catalogue. */
  async #listOffers(): Promise<readonly Offer[]> {
    const { source, chatFacts, lease } = this.parts;
    const { entries } = await catalogue(source, this.#settings);
    const used = entries.filter(({ isInUse }) => isInUse);
    const usable = entries.filter(({ isDownloaded, problem }) => isDownloaded && problem === undefined);
    const offers = new Map<string, Offer>();
    for (const { kind, name, target, drafter, bits, directory, isBase } of [...used, ...usable]) {
      if (kind === 'drafter' || isBase || directory === undefined || offers.has(directory)) continue;
      const facts = await chatFacts(directory);
      if (facts === undefined) continue;
      const model = { id: target, name, bits, ...facts, maxTokens: maxAnswerTokens(facts) };
      offers.set(directory, { model, pair: { target, drafter } });
    }
    this.#offers = [...offers.values(), ...remoteOffer(lease.model)];
    return this.#offers;
  }
}

/** Refuses texts above MAX_TEXT_LENGTH: counting their tokens or rendering their template takes seconds. */
function requireLength({ length }: string): void {
  if (length > MAX_TEXT_LENGTH)
    throw refused(
      `Expected at most ${String(MAX_TEXT_LENGTH)} characters, got ${String(length)}; shorten the conversation`,
    );
}

/** Converts a call from the form of OpenAI's API. */
function chatCall({
  id,
  function: { name, arguments: text },
}: ToolCallReader['calls'][number]): AnsweredCall {
  return { id, name, arguments: fieldsOf(JSON.parse(text)) };
}

/** Returns an offer of the remote engine that suggestions use, if its tokenizer has a chat template. */
function remoteOffer(used: Model | undefined): readonly Offer[] {
  if (used?.engine.remote === undefined || !used.engine.hasChatTemplate) return [];
  const { target: name } = used.info;
  const { maxPositionEmbeddings: contextTokens } = used.engine.config;
  const facts = { family: name, contextTokens, hasTools: false };
  const { host } = used.engine.remote;
  const model = { id: REMOTE_ID, name, ...facts, maxTokens: maxAnswerTokens(facts), host };
  return [{ model, pair: undefined }];
}

/** Returns the maximum tokens of an answer: a quarter of the context; the rest is for the conversation. */
function maxAnswerTokens({ contextTokens }: ChatFacts): number {
  return Math.floor(contextTokens / 4);
}
