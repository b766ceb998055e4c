// An engine on another machine or in another process, which decodes at /v1/completions of any server with OpenAI's API.
// With the tokenizer of its model, prompts are sent as token ids, so that text of the user can never become a special
// token. Without it they are sent as text, with the text after the cursor as a suffix, or to llama.cpp's /infill. Draft
// settings, the penalty window and the repetition guard are not sent, as the server has its own. Neither are forbidden
// tokens, logit biases, requests for log-probabilities or stop strings after the fourth.
import { randomInt } from 'node:crypto';
import type { DecodeRequest, Decode } from '../engine/decode/decode';
import { WaitingClock } from '../machine/waitingClock';
import { WrongValue } from '../rules/userError';
import type { ChatMessage } from '../protocol/conversation';
import type { Tokenizer } from '../models/text/tokenizer';
import type { RemoteInfo } from '../protocol/messages';
import { LLAMA_CPP, remoteAddress } from '../rules/remoteAddress';
import type { ServerSettings } from '../rules/serverSettings';
import { completionBody, infillBody, type RemotePrompt } from './completionBody';
import { completionEvents, type CompletionEvent } from './completionEvents';
import type { OptionalField } from './refusedFields';
import { RemoteConnection, type RemoteTimes } from './remoteConnection';
import { RemoteDecode } from './remoteDecode';
import { RemoteError } from './remoteError';
import { remoteVocabulary, type RemoteVocabulary } from './remoteTokenizer';
import { servedModel, type ServedModel } from './servedModel';
import { TextTokenizer } from './textTokenizer';

/** Settings that name a remote engine. */
export interface RemoteChoice extends Omit<ServerSettings['remote'], 'fallback'> {
  /** Drafter of a llama-server that Flashline starts. */
  readonly drafter?: string;
  readonly key?: string | undefined;
}

/** A request that ends with its engine. */
type RemoteDecodeRequest = DecodeRequest & { readonly signal: AbortSignal };

/** A server that was started for one engine and ends with it. */
export interface StartedServer {
  /** Resolves with the reason if the server has ended by itself; undefined while it runs. */
  failure(): Promise<RemoteError | undefined>;
  stop(): Promise<void>;
}

const SEED_COUNT = 2 ** 32;
/** Optional fields to omit, in the order of attempts. */
const OMISSIONS: readonly (readonly OptionalField[])[] = [
  [],
  ['extension'],
  ['suffix'],
  ['extension', 'suffix'],
];

export class RemoteEngine {
  readonly device = 'remote';
  readonly maxDraftTokens = 0;
  /** Log-probabilities are never requested from the server. */
  readonly greedyLogprobs = false;
  readonly config: { readonly modelType: string; readonly maxPositionEmbeddings: number };
  readonly #closing = new AbortController();
  /** Fields that the server has refused by name; later requests omit them from the start. */
  readonly #refused = new Set<OptionalField>();
  #hasOmittedSuffix = false;

  private constructor(
    private readonly connection: RemoteConnection,
    private readonly model: ServedModel,
    private readonly vocabulary: RemoteVocabulary | TextTokenizer,
    private readonly started: StartedServer | undefined,
  ) {
    this.config = { modelType: model.name, maxPositionEmbeddings: model.contextTokens };
  }

  /**
   * Looks the model up at the server. Throws RemoteError if it cannot be used, UserError if the settings are wrong.
   */
  static async load(
    choice: RemoteChoice,
    times?: RemoteTimes,
    started?: StartedServer,
  ): Promise<RemoteEngine> {
    const vocabulary = choice.tokenizer === '' ? new TextTokenizer() : remoteVocabulary(choice.tokenizer);
    const connection = connectionTo(choice, times);
    const model = await servedModel(connection, choice.model);
    return new RemoteEngine(connection, model, vocabulary, started);
  }

  get remote(): RemoteInfo {
    return { host: this.started ? LLAMA_CPP : this.connection.address.host };
  }

  /** Whether the last prompt omitted the text after the cursor, because the server refuses a suffix. */
  get hasOmittedSuffix(): boolean {
    return this.#hasOmittedSuffix;
  }

  get tokenizer(): Tokenizer {
    return this.vocabulary instanceof TextTokenizer ? this.vocabulary : this.vocabulary.tokenizer;
  }

  get hasChatTemplate(): boolean {
    return !(this.vocabulary instanceof TextTokenizer) && this.vocabulary.chatTemplate.isUsable;
  }

  encodeChat(messages: readonly ChatMessage[]): number[] | undefined {
    if (this.vocabulary instanceof TextTokenizer) return undefined;
    const parts = this.vocabulary.chatTemplate.render(messages);
    return parts && this.tokenizer.encodeParts(parts);
  }

  /** Starts a decode. Reading it throws RemoteError if the server fails; text that has arrived stays valid. */
  decode(promptIds: readonly number[], request: DecodeRequest): Decode<null> {
    const { sampling, signal } = request;
    const seed = sampling?.seed ?? randomInt(SEED_COUNT);
    const seeded = {
      ...request,
      sampling: { ...sampling, seed },
      signal: AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]),
    };
    return new RemoteDecode(() => this.#events(this.#promptOf(promptIds), seeded), seeded);
  }

  /** Requests one token. Throws RemoteError if the server refuses or fails. */
  async requireAnswer(): Promise<void> {
    const prompt =
      this.vocabulary instanceof TextTokenizer
        ? { prompt: 'f(', suffix: ');' }
        : { prompt: this.tokenizer.encodeText('f(') };
    const request = { maxTokens: 1, signal: this.#closing.signal };
    await new RemoteDecode(() => this.#events(prompt, request), request).finish();
  }

  resizeCache(): void {
    // The server has its own cache.
  }

  /** Ends running requests, and the server if it was started for this engine. */
  async dispose(): Promise<void> {
    this.#closing.abort('superseded');
    await this.started?.stop();
  }

  #promptOf(ids: readonly number[]): RemotePrompt {
    return this.vocabulary instanceof TextTokenizer ? this.vocabulary.texts(ids) : { prompt: ids };
  }

  /**
   * Yields the events of a request. While the server refuses it, sends it again with other fields omitted; once a
   * refusal names exactly one of the sent fields, all later attempts omit that field. A success adds the omitted fields
   * that refusals have named to `#refused`.
   */
  async *#events(
    prompt: RemotePrompt,
    request: RemoteDecodeRequest,
  ): AsyncGenerator<CompletionEvent, void, undefined> {
    /** Fields that the server has named in its refusals of this prompt. */
    const named = new Set<OptionalField>();
    let omissions = this.#omissions(prompt);
    for (;;) {
      const [omitted = [], ...others] = omissions;
      try {
        for await (const event of this.#stream(prompt, omitted, request)) {
          for (const field of omitted) if (named.has(field)) this.#refused.add(field);
          this.#hasOmittedSuffix = prompt.suffix !== undefined && omitted.includes('suffix');
          yield event;
        }
        return;
      } catch (error) {
        const fields = error instanceof RemoteError ? error.facts.namedFields : undefined;
        if (fields === undefined || others.length === 0) throw (await this.started?.failure()) ?? error;
        const blamed = fields.filter((field) => !omitted.includes(field));
        for (const field of blamed) named.add(field);
        const isClear = blamed.length === 1;
        omissions = isClear ? others.filter((next) => blamed.every((field) => next.includes(field))) : others;
      }
    }
  }

  /** Returns the omissions that are possible for a prompt. */
  #omissions({ suffix }: RemotePrompt): readonly (readonly OptionalField[])[] {
    return OMISSIONS.filter(
      (omitted) =>
        (suffix !== undefined || omitted.includes('suffix')) &&
        // llama.cpp's /infill never gets the extension.
        (!this.model.isLlama || omitted.length > 0) &&
        [...this.#refused].every((field) => omitted.includes(field)),
    );
  }

  /** Sends a request without the omitted fields, and yields its events. */
  #stream(
    prompt: RemotePrompt,
    omitted: readonly OptionalField[],
    request: RemoteDecodeRequest,
  ): AsyncGenerator<CompletionEvent, void, undefined> {
    const { connection } = this;
    const { name, isLlama } = this.model;
    const { signal } = request;
    const { api } = connection.address;
    const fields = omitted.includes('suffix') ? { ...prompt, suffix: undefined } : prompt;
    const filled = isLlama ? infillBody(fields, request) : undefined;
    const extension = omitted.includes('extension') ? undefined : isLlama ? 'llama' : 'other';
    const body = filled ?? completionBody(name, fields, request, extension);
    const url = filled ? `${api.replace(/\/v1$/, '')}/infill` : `${api}/completions`;
    const isUrgent = request.kind === 'inline';
    const clock = new WaitingClock(connection.silenceMs);
    const chunks = connection.chunks({ url, body, accept: 'text/event-stream', signal, isUrgent }, clock);
    const limits = { maxTokens: request.maxTokens, clock };
    return completionEvents(chunks, connection.context, signal, limits);
  }
}

function connectionTo({ url, model, tokenizer, key }: RemoteChoice, times?: RemoteTimes): RemoteConnection {
  const address = remoteAddress(url);
  if (address === undefined)
    throw new WrongValue({
      expected: 'the address of a remote engine such as http://127.0.0.1:8000',
      // Without the text, which can contain a password.
      got: URL.canParse(url) ? 'another kind of address' : 'a text that is not an address',
      remedy: 'give an http or https address without a user name, query or fragment',
    });
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new WrongValue({
      expected: 'an API key of printable ASCII characters',
      got: 'one with other characters',
      remedy: 'copy the key exactly as the server has it',
    });
  const context = { host: address.host, model, hasKey: key !== undefined, sendsIds: tokenizer !== '' };
  return new RemoteConnection(address, context, key, times);
}
