// An engine on another machine, or in another process: decodes over /v1/completions of any server that speaks OpenAI's
// API. With the tokenizer of its model, prompts are token ids, in which nothing that a person wrote can be read as a
// special token; without it they are text, and the server fills in before a suffix. Settings about drafts, and the
// repetition guard, are the server's own business.
import { randomInt } from 'node:crypto';
import type { DecodeRequest, Decode } from '../engine/decode/decode';
import { InputError } from '../rules/inputError';
import type { ChatMessage } from '../models/text/conversation';
import type { Tokenizer } from '../models/text/tokenizer';
import type { RemoteInfo } from '../protocol/messages';
import { LLAMA_CPP, remoteAddress } from '../rules/remoteAddress';
import type { ServerSettings } from '../rules/serverSettings';
import { completionBody, infillBody, type OptionalField, type RemotePrompt } from './completionBody';
import { completionEvents, type CompletionEvent } from './completionEvents';
import { RemoteConnection, type RemoteTimes } from './remoteConnection';
import { RemoteDecode } from './remoteDecode';
import { RemoteError, brokenAnswer } from './remoteError';
import { remoteVocabulary, TextTokenizer, type RemoteVocabulary } from './remoteTokenizer';
import * as z from 'zod/mini';
import { parseJson } from '../rules/json';

/** What names a remote engine. */
export interface RemoteChoice extends Omit<ServerSettings['remote'], 'fallback'> {
  /** Of a llama-server that is started here. */
  readonly drafter?: string;
  readonly key?: string | undefined;
}

/** A server that was started for one engine, and ends with it. */
export interface StartedServer {
  /** Once it has ended by itself, what there is to say of that. */
  failure(): Promise<RemoteError | undefined>;
  stop(): Promise<void>;
}

/** Tokens of context where the server does not say; prompts are shorter in any case. */
const USUAL_CONTEXT = 4096;
/** What a request that a server refuses is sent without, one after the other. */
const OMISSIONS: readonly (readonly OptionalField[])[] = [
  [],
  ['extension'],
  ['suffix'],
  ['suffix', 'extension'],
];
const SEEDS = 2 ** 32;

export class RemoteEngine {
  readonly device = 'remote';
  readonly maxDraftTokens = 0;
  readonly #closing = new AbortController();
  /** What the server has named as wrong in an answer, and therefore is not asked again. */
  readonly #refused = new Set<OptionalField>();
  #leavesOut = false;

  // eslint-disable-next-line max-params -- fields, filled by `load` alone
  private constructor(
    private readonly connection: RemoteConnection,
    private readonly model: string,
    private readonly vocabulary: RemoteVocabulary | TextTokenizer,
    readonly config: { readonly modelType: string; readonly maxPositionEmbeddings: number },
    private readonly isLlama: boolean,
    private readonly started: StartedServer | undefined,
  ) {}

  /** Asks the server for its models. Throws RemoteError if it cannot be used, InputError for what is wrong here. */
  static async load(
    choice: RemoteChoice,
    times?: RemoteTimes,
    started?: StartedServer,
  ): Promise<RemoteEngine> {
    const vocabulary = choice.tokenizer === '' ? new TextTokenizer() : remoteVocabulary(choice.tokenizer);
    const connection = connectionTo(choice, times);
    const { name, contextTokens, isLlama } = await servedModel(connection, choice.model);
    const config = { modelType: name, maxPositionEmbeddings: contextTokens };
    return new RemoteEngine(connection, name, vocabulary, config, isLlama, started);
  }

  /** Whether the server answers and has the model. Rejects with the reason if not. */
  static async reach(choice: RemoteChoice): Promise<void> {
    await servedModel(connectionTo(choice), choice.model);
  }

  get remote(): RemoteInfo {
    return { host: this.started ? LLAMA_CPP : this.connection.address.host };
  }

  /** Whether the last prompt was without the text after the cursor, as the server did not take that. */
  get leavesOutSuffix(): boolean {
    return this.#leavesOut;
  }

  get tokenizer(): Tokenizer {
    return this.vocabulary instanceof TextTokenizer ? this.vocabulary : this.vocabulary.tokenizer;
  }

  encodeChat(messages: readonly ChatMessage[]): number[] | undefined {
    if (this.vocabulary instanceof TextTokenizer) return undefined;
    const parts = this.vocabulary.chatTemplate.parts(messages);
    return parts && this.tokenizer.encodeParts(parts);
  }

  /** Reading throws RemoteError when the server fails; what has arrived until then stays valid. */
  decode(promptIds: readonly number[], request: DecodeRequest): Decode<null> {
    const { sampling, signal } = request;
    const seed = sampling?.seed ?? randomInt(SEEDS);
    const own = {
      ...request,
      sampling: { ...sampling, seed },
      signal: AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]),
    };
    return new RemoteDecode((each) => this.#events(this.#promptOf(promptIds), own, each), own);
  }

  /** Asks for a token. Throws RemoteError if the server does not complete. */
  async requireAnswer(): Promise<void> {
    const prompt =
      this.vocabulary instanceof TextTokenizer
        ? { prompt: 'f(', suffix: ');' }
        : { prompt: this.tokenizer.encodeText('f(') };
    const request = { maxTokens: 1, signal: this.#closing.signal };
    await new RemoteDecode((signal) => this.#events(prompt, request, signal), request).finish();
  }

  resizeCache(): void {
    // The server has its own cache.
  }

  /** Ends what is running, and the server if it was started for this. */
  async dispose(): Promise<void> {
    this.#closing.abort('superseded');
    await this.started?.stop();
  }

  #promptOf(ids: readonly number[]): RemotePrompt {
    return this.vocabulary instanceof TextTokenizer ? this.vocabulary.texts(ids) : { prompt: ids };
  }

  async *#events(
    prompt: RemotePrompt,
    request: DecodeRequest,
    signal: AbortSignal,
  ): AsyncGenerator<CompletionEvent, void, undefined> {
    // What was refused before is left out from the start, as far as this prompt has it.
    const possible = OMISSIONS.filter(
      (omitted) => prompt.suffix !== undefined || !omitted.includes('suffix'),
    );
    const left = possible.filter((omitted) =>
      [...this.#refused].every((field) => omitted.includes(field) || !possible.flat().includes(field)),
    );
    const named = new Set<OptionalField>();
    for (const omitted of left)
      try {
        for await (const event of this.#stream(prompt, omitted, request, signal)) {
          for (const field of omitted) if (named.has(field)) this.#refused.add(field);
          this.#leavesOut = omitted.includes('suffix');
          yield event;
        }
        return;
      } catch (error) {
        const fields = error instanceof RemoteError ? error.facts.named : undefined;
        if (fields === undefined || omitted === left.at(-1)) throw (await this.started?.failure()) ?? error;
        for (const field of fields) named.add(field);
      }
  }

  #stream(
    prompt: RemotePrompt,
    omitted: readonly OptionalField[],
    request: DecodeRequest,
    signal: AbortSignal,
  ): AsyncGenerator<CompletionEvent, void, undefined> {
    const { connection, model, isLlama } = this;
    const { api } = connection.address;
    const asked = omitted.includes('suffix') ? { ...prompt, suffix: undefined } : prompt;
    const filled = isLlama ? infillBody(asked, request) : undefined;
    const extension = omitted.includes('extension') ? undefined : isLlama ? 'llama' : 'other';
    const body = filled ?? completionBody(model, asked, request, extension);
    const url = filled ? `${api.replace(/\/v1$/, '')}/infill` : `${api}/completions`;
    const isUrgent = request.kind === 'inline';
    const chunks = connection.chunks({ url, body, accept: 'text/event-stream', signal, isUrgent });
    const limits = { maxTokens: request.maxTokens, silenceMs: connection.silenceMs };
    return completionEvents(chunks, connection.party, signal, limits);
  }
}

function connectionTo({ url, model, tokenizer, key }: RemoteChoice, times?: RemoteTimes): RemoteConnection {
  const address = remoteAddress(url);
  if (address === undefined)
    throw new InputError({
      expected: 'the address of a remote engine such as http://127.0.0.1:8000',
      got: URL.canParse(url) ? 'another kind of address' : `"${url}"`,
      remedy: 'give an http or https address without a user name, query or fragment',
    });
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new InputError({
      expected: 'an API key of printable ASCII characters',
      got: 'one with other characters',
      remedy: 'copy the key exactly as the server has it',
    });
  const party = { host: address.host, model, hasKey: key !== undefined, sendsIds: tokenizer !== '' };
  return new RemoteConnection(address, party, key, times);
}

// Which model a remote engine serves, as /v1/models lists it.

const TOKENS = z.catch(z.nullish(z.int().check(z.positive())), undefined);
const MODELS = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      owned_by: z.catch(z.nullish(z.string()), undefined),
      // vLLM and SGLang.
      max_model_len: TOKENS,
      // llama.cpp.
      meta: z.catch(z.nullish(z.object({ n_ctx: TOKENS })), undefined),
    }),
  ),
});
/** Names that an error repeats, and how much of each. */
const NAMED = 5;
const NAME_LENGTH = 80;

/** The model of that name; for an empty name the only one. Throws RemoteError unless there is one. */
async function servedModel(connection: RemoteConnection, name: string) {
  const { address, party } = connection;
  const text = await connection.text(`${address.api}/models`, 'application/json', AbortSignal.any([]));
  const models = parseModels(text);
  if (models === undefined) throw brokenAnswer(party, 'a list of models', 'something else');
  const found =
    models.find(({ id }) => id === name) ?? (name === '' && models.length === 1 ? models[0] : undefined);
  if (found !== undefined)
    return {
      name: found.id,
      contextTokens: found.max_model_len ?? found.meta?.n_ctx ?? USUAL_CONTEXT,
      // It fills in at a path of its own.
      isLlama: found.owned_by === 'llamacpp',
    };
  const names = models.slice(0, NAMED).map(({ id }) => id.slice(0, NAME_LENGTH).replace(/\p{Cc}/gu, ' '));
  throw new RemoteError(
    name === '' ? `the name of a model at ${address.host}` : `the model ${name} at ${address.host}`,
    models.length === 0 ? 'none' : `${String(models.length)}: ${names.join(', ')}`,
    'name one of them as the remote model',
  );
}

function parseModels(text: string): z.infer<typeof MODELS>['data'] | undefined {
  try {
    return MODELS.parse(parseJson(text)).data;
  } catch {
    return undefined;
  }
}
