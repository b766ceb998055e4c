// The requests about chats: which models hold one, the answer of one to a conversation, and how many tokens a text has.
// A chat may use another model than suggestions do, which have the first turn on the engine in any case.
import type { Connection } from 'vscode-languageserver/node';
import { chatAnswer } from '../completion/instruct/chatAnswer';
import { toolCallReader, type ToolCallReader } from '../completion/instruct/toolCallReader';
import { chatIds, tokenCount, ChatLeases } from '../hosting/chatLeases';
import type { History } from '../hosting/history';
import type { UsableModel } from '../hosting/loadedModel';
import type { ModelLease } from '../hosting/modelLease';
import type { ModelPool } from '../hosting/modelPool';
import { catalogue, type ModelSource } from '../hub/catalogue';
import {
  Method,
  type ChatCall,
  type ChatModel,
  type ChatResult,
  type ClientSettings,
} from '../protocol/messages';
import { LONGEST_TEXT } from '../rules/notCode';
import { fieldsOf } from '../rules/json';
import { NO_REMOTE } from '../rules/serverSettings';
import { paramsOf } from './messageSchemas';
import { refused, type AnswerRequest } from './requestSignal';
import { streamGenerated } from './generateRequest';

export type ChatFacts = Pick<ChatModel, 'family' | 'contextTokens' | 'hasTools'>;

interface ChatParts {
  readonly connection: Connection;
  readonly pool: ModelPool;
  /** Of suggestions. */
  readonly host: ModelLease;
  readonly history: History;
  readonly source: ModelSource;
  readonly chatFacts: (directory: string) => Promise<ChatFacts | undefined>;
  readonly answer: AnswerRequest;
  readonly settings: () => ClientSettings;
  readonly begin: () => void;
  readonly log: (line: string) => void;
}

/** A chat model, and what the settings would name to use it; undefined for the remote engine that they name. */
interface Offer {
  readonly model: ChatModel;
  readonly pair: Pick<ClientSettings, 'target' | 'drafter'> | undefined;
}

/** The name of a chat in statistics. */
const FILE = 'chat';
const REMOTE = 'remote';
const QUESTION = [{ role: 'user', content: 'x' }] as const;

export function answerChats(parts: ChatParts) {
  const { connection, history, answer, settings, begin } = parts;
  const leases = new ChatLeases(parts.pool, parts.log);
  let offered: readonly Offer[] = [];
  const offer = async (): Promise<readonly Offer[]> => (offered = await offers(parts));
  const use = async <T>(
    id: string,
    work: (model: UsableModel, chat: ChatModel) => Promise<T>,
  ): Promise<T> => {
    const isMeant = ({ model }: Offer): boolean => model.id === id;
    const meant = offered.find(isMeant) ?? (await offer()).find(isMeant);
    if (meant === undefined || (meant.pair === undefined && settings().remote.url === ''))
      throw refused('Expected one of the chat models that are offered, got another; choose one again');
    const own = meant.pair && { ...meant.pair, remote: NO_REMOTE };
    return await leases.use({ ...settings(), ...own }, (model) => work(model, meant.model));
  };
  answer(Method.chatModels, async () => (await offer()).map(({ model }) => model));
  answer(Method.chatTokens, async (given) => {
    const { model: id, text } = paramsOf(Method.chatTokens, given);
    requireLength(text);
    return await use(id, (model) => tokenCount(text, model));
  });
  answer(Method.chat, async (given, signal): Promise<ChatResult> => {
    const { model: id, messages, tools = [], partialResultToken } = paramsOf(Method.chat, given);
    requireLength(JSON.stringify([messages, tools]));
    begin();
    return await use(id, async (model, chat) => {
      const promptIds = await chatIds({ messages, tools, variables: {} }, model);
      const { tokenizer, config } = model.engine;
      if (promptIds === undefined || tokenizer === undefined)
        throw refused('Expected no tools, got some, of which this model knows nothing; leave them out');
      const { maxPositionEmbeddings: context } = config;
      const got = promptIds.length;
      if (got >= context)
        throw refused(`Expected fewer than ${String(context)} tokens, got ${String(got)}; send less`);
      const reader = tools.length > 0 ? toolCallReader(tools, tokenizer) : undefined;
      const maxTokens = Math.min(chat.maxTokens, context - got);
      const asked = { file: FILE, settings: settings(), signal, stream: partialResultToken };
      const host = { use: <T>(work: (own: UsableModel) => Promise<T>) => work(model) };
      const result = await streamGenerated({ connection, host, history }, asked, (decoder) =>
        chatAnswer(promptIds, { maxTokens, reader, signal }, decoder),
      );
      return { ...result, calls: (reader?.calls ?? []).map(callOf) };
    });
  });
  return leases;
}

/** Counting and templates take seconds for more. */
function requireLength({ length }: string): void {
  if (length > LONGEST_TEXT)
    throw refused(
      `Expected at most ${String(LONGEST_TEXT)} characters, got ${String(length)}; shorten the conversation`,
    );
}

function callOf({ id, function: { name, arguments: text } }: ToolCallReader['calls'][number]): ChatCall {
  return { id, name, arguments: fieldsOf(JSON.parse(text)) };
}

/** Of several drafters of a model, that in use or the usual one. */
async function offers({ source, chatFacts, host, settings }: ChatParts): Promise<readonly Offer[]> {
  const { entries } = await catalogue(source, settings());
  const own = entries.filter(({ isInUse }) => isInUse);
  const usable = entries.filter(({ isDownloaded, problem }) => isDownloaded && problem === undefined);
  const offered = new Map<string, Offer>();
  for (const { kind, name, target, drafter, bits, directory, isBase } of [...own, ...usable]) {
    if (kind === 'drafter' || isBase || directory === undefined || offered.has(directory)) continue;
    const facts = await chatFacts(directory);
    if (facts === undefined) continue;
    const model = { id: target, name, bits, ...facts, maxTokens: answerTokens(facts) };
    offered.set(directory, { model, pair: { target, drafter } });
  }
  return [...offered.values(), ...remoteOffer(host.model)];
}

/** While suggestions use it, and if its tokenizer came with a chat template. */
function remoteOffer(used: UsableModel | undefined): readonly Offer[] {
  if (used?.engine.remote === undefined || used.engine.encodeChat(QUESTION) === undefined) return [];
  const { target: name } = used.info;
  const { maxPositionEmbeddings: contextTokens } = used.engine.config;
  const facts = { family: name, contextTokens, hasTools: false };
  const model = { id: REMOTE, name, ...facts, maxTokens: answerTokens(facts), host: used.engine.remote.host };
  return [{ model, pair: undefined }];
}

/** The longest answer; the rest of the context is for the conversation. */
function answerTokens({ contextTokens }: ChatFacts): number {
  return contextTokens >> 2;
}
