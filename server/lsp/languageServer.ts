// Serves the connection of one editor: passes each message to the class that does the work. `#registerHandlers` and the
// methods after it list all messages, except those that open, change and close documents (openDocuments.ts).
import {
  TextDocumentSyncKind,
  type CancellationToken,
  type Connection,
  type InitializeParams,
  type InitializeResult,
  type InlineCompletionItem,
  type TextDocuments,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { CompletionSession } from '../completion/session/completionSession';
import { PowerPolicy } from '../completion/session/powerPolicy';
import type { Settle } from '../completion/session/settle';
import { History } from '../hosting/history';
import type { Model } from '../hosting/model';
import type { HttpServing } from '../hosting/httpServing';
import { Lease } from '../hosting/lease';
import type { ModelPool } from '../hosting/modelPool';
import { RecordingDecoder } from '../hosting/recordingDecoder';
import { DEFAULT_SETTINGS, parseSettings } from '../hosting/settings';
import type { ModelSource } from '../hub/catalogue';
import {
  INLINE_COMPLETION,
  Method,
  type ClientSettings,
  type CompareResult,
  type CursorParams,
  type GenerateResult,
  type ServerProcess,
  type ServingParams,
  type StatusParams,
} from '../protocol/messages';
import { NextEditCommand, NextEditMethod } from '../protocol/nextEditMessages';
import { failureLine } from '../rules/failure';
import { isEnabled } from '../rules/enabledLanguages';
import { ChatRequests, type ReadChatFacts } from './chatRequests';
import { ClientNotifier } from './clientNotifier';
import { compare } from './compare';
import { canWatchFiles, followDeletions, watchDeletions } from './deletions';
import { generate } from './generateRequest';
import { completionItems, suggestionCursor, sendGrowing } from './inlineCompletion';
import { MessageHandlers } from './messageHandlers';
import { paramsOf, WrongMessage, type ParamsOf } from './messageSchemas';
import { ModelRequests } from './modelRequests';
import { NextEditRequests } from './nextEditRequests';
import { openDocuments } from './openDocuments';
import { restingCursor } from './positions';
import { relatedCode } from './relatedCode';
import { requestSignal } from './requestSignal';

/** Remote settings of the command line, which replace those of the client. */
export interface RemoteOverride {
  readonly remote: ClientSettings['remote'];
  readonly remoteKey?: ClientSettings['remoteKey'];
  /** Drafter of a llama-server that Flashline starts. */
  readonly drafter?: string;
}

export interface LanguageServerParts {
  readonly connection: Connection;
  /** Pool shared by all connections of the process. */
  readonly pool: ModelPool;
  readonly settle: Settle;
  /** Delay (ms) after which the complete words of an unfinished first line are shown. */
  readonly lateMs: number;
  /** Resolves with whether the machine is plugged in; never rejects. */
  readonly pluggedIn: () => Promise<boolean>;
  /** Source of the models to choose from. */
  readonly modelSource: ModelSource;
  /** Reads what models can do in chats. */
  readonly chatFacts: ReadChatFacts;
  readonly remote?: RemoteOverride;
  /** HTTP server shared by all connections of the process. */
  readonly httpServing: HttpServing;
}

export class LanguageServer {
  readonly #connection: Connection;
  readonly #remote: RemoteOverride | undefined;
  readonly #httpServing: HttpServing;
  readonly #client: ClientNotifier;
  readonly #handlers: MessageHandlers;
  readonly #lease: Lease;
  readonly #history: History;
  readonly #session: CompletionSession<Model>;
  readonly #nextEdits: NextEditRequests;
  readonly #power: PowerPolicy;
  readonly #documents: TextDocuments<TextDocument>;
  readonly #models: ModelRequests;
  readonly #chats: ChatRequests;
  /** Aborts all requests when the connection ends. */
  readonly #ending = new AbortController();
  #settings = DEFAULT_SETTINGS;
  #canWatchFiles = false;
  #unsubscribeServing: (() => void) | undefined;

  private constructor(parts: LanguageServerParts) {
    const {
      connection,
      pool,
      settle,
      lateMs,
      pluggedIn,
      modelSource: source,
      chatFacts,
      remote,
      httpServing,
    } = parts;
    this.#connection = connection;
    this.#remote = remote;
    this.#httpServing = httpServing;
    const client = (this.#client = new ClientNotifier(connection, () => this.#status));
    this.#handlers = new MessageHandlers(connection, client, this.#ending.signal);
    const log = client.log.bind(client);
    const onStatus = client.reportStatus.bind(client);
    const lease = new Lease(pool, log, { onStatus });
    const history = new History((row) => {
      client.notify(Method.stats, row);
    });
    const power = new PowerPolicy(pluggedIn, () => this.#settings, onStatus);
    this.#lease = lease;
    this.#history = history;
    this.#power = power;
    this.#session = new CompletionSession({
      models: lease,
      decoder: (model, kind) => this.#decoder(model, kind),
      settle,
      lateMs,
      power,
      log,
    });
    this.#nextEdits = new NextEditRequests({ pool, lease, history, power, log, onStatus });
    this.#documents = openDocuments({
      changed: (document, editedAt) => {
        this.#session.changed(document, editedAt);
        this.#nextEdits.changed(document);
      },
      closed: (uri) => {
        this.#session.closed(uri);
        this.#nextEdits.closed(uri);
      },
    });
    this.#models = new ModelRequests(connection, source, log);
    this.#chats = new ChatRequests({ connection, pool, lease, history, source, chatFacts, log });
  }

  /** Serves until the client shuts down. If the connection closes before that, the caller must call `end`. */
  static start(parts: LanguageServerParts): LanguageServer {
    const server = new LanguageServer(parts);
    server.#registerHandlers();
    server.#documents.listen(server.#connection);
    server.#connection.listen();
    return server;
  }

  /** Cancels the requests of this connection. */
  cancel(): void {
    this.#session.end();
    this.#nextEdits.end();
    this.#ending.abort('cancelled');
  }

  /** Cancels the requests and releases the models. */
  async end(): Promise<void> {
    this.cancel();
    this.#unsubscribeServing?.();
    await Promise.all([this.#lease.dispose(), this.#nextEdits.dispose(), this.#chats.dispose()]);
  }

  #registerHandlers(): void {
    const connection = this.#connection;
    const handlers = this.#handlers;
    connection.onInitialize((params) => this.#initialize(params));
    connection.onInitialized(() => {
      this.#initialized();
    });
    connection.onShutdown(() => this.end());
    connection.onNotification(Method.settings, (params: unknown) => {
      this.#changeSettings(params);
    });
    connection.languages.inlineCompletion.on((params, token) => this.#inlineCompletion(params, token));
    handlers.onRequest(Method.history, () => this.#history.rows);
    this.#registerFileHandlers();
    this.#registerNextEditHandlers();
    handlers.onRequest(Method.generate, (params, signal) => this.#generate(params, signal));
    handlers.onRequest(Method.compare, (_, signal) => this.#compare(signal));
    handlers.onRequest(Method.startServing, () => this.#startServing());
    handlers.onRequest(Method.stopServing, () => this.#stopServing());
    this.#registerModelHandlers();
    this.#registerChatHandlers();
    this.#unsubscribeServing = this.#httpServing.onChange(() => {
      this.#client.notify(Method.serving, this.#serving);
    });
  }

  #registerFileHandlers(): void {
    const handlers = this.#handlers;
    handlers.onNotification(Method.definitions, (params) => {
      this.#session.define(params.uri, relatedCode(params));
    });
    handlers.onNotification(Method.cursor, (params) => {
      this.#cursorRested(params);
    });
    handlers.onNotification(Method.forgetClosed, () => {
      this.#session.forgetClosed();
    });
    followDeletions(this.#connection, (uri) => {
      this.#session.deleted(uri);
    });
  }

  #registerNextEditHandlers(): void {
    const handlers = this.#handlers;
    handlers.onRequest(NextEditMethod.inlineEdit, (params, signal) =>
      this.#nextEdits.answer(params, this.#documents.get(params.textDocument.uri), signal),
    );
    handlers.onNotification(NextEditMethod.didShow, (params) => {
      this.#nextEdits.shown(params, this.#ending.signal);
    });
    handlers.onRequest(NextEditMethod.executeCommand, (params) => this.#nextEdits.execute(params));
  }

  #registerModelHandlers(): void {
    const handlers = this.#handlers;
    const models = this.#models;
    handlers.onRequest(Method.models, (params, signal) => models.catalogue(params, this.#settings, signal));
    handlers.onRequest(Method.download, (params, signal) => models.download(params, this.#settings, signal));
    handlers.onRequest(Method.removeModel, (params) => models.remove(params));
  }

  #registerChatHandlers(): void {
    const handlers = this.#handlers;
    handlers.onRequest(Method.chatModels, () => this.#chats.models());
    handlers.onRequest(Method.chatTokens, (params) => this.#chats.tokenCount(params));
    handlers.onRequest(Method.chat, (params, signal) => {
      this.#session.stopPrefetch();
      return this.#chats.answer(params, signal);
    });
  }

  #initialize({ initializationOptions, capabilities }: InitializeParams): InitializeResult & ServerProcess {
    this.#settings = this.#parseSettings(initializationOptions);
    this.#canWatchFiles = canWatchFiles(capabilities);
    this.#chats.configure(this.#settings);
    return {
      serverInfo: { name: 'flashline' },
      serverProcessId: process.pid,
      capabilities: {
        textDocumentSync: TextDocumentSyncKind.Incremental,
        inlineCompletionProvider: true,
        executeCommandProvider: { commands: Object.values(NextEditCommand) },
        experimental: { copilotInlineEdit: true },
        workspace: { fileOperations: { didDelete: { filters: [{ pattern: { glob: '**/*' } }] } } },
      },
    };
  }

  #initialized(): void {
    // bench/start times the stages of a start by this mark.
    performance.mark('handshake');
    void this.#lease.configure(this.#settings);
    this.#nextEdits.configure(this.#settings);
    if (this.#httpServing.address !== undefined) this.#client.notify(Method.serving, this.#serving);
    if (!this.#canWatchFiles) return;
    watchDeletions(this.#connection).catch((error: unknown) => {
      this.#client.log(failureLine('watching files', error));
    });
  }

  #changeSettings(params: unknown): void {
    const settings = (this.#settings = this.#parseSettings(params));
    this.#session.stopPrefetch();
    this.#power.settingsChanged();
    void this.#lease.configure(settings);
    this.#nextEdits.configure(settings);
    // If next edits were just turned on, they need the current texts, to compare later versions with.
    for (const { uri } of this.#documents.all()) {
      const document = this.#session.document(uri);
      if (document) this.#nextEdits.changed(document);
    }
    this.#chats.configure(settings);
    this.#httpServing.configure(this.#connection, settings);
  }

  #cursorRested(params: CursorParams): void {
    const settings = this.#settings;
    const cursor = restingCursor(this.#documents, params);
    if (cursor && isEnabled(settings.enable, cursor.languageId))
      this.#session.rested({ ...cursor, settings });
  }

  /** Resolves with the items to show, or null. Never rejects: editors would show the error. */
  async #inlineCompletion(
    received: unknown,
    token: CancellationToken,
  ): Promise<InlineCompletionItem[] | null> {
    try {
      const params = paramsOf(INLINE_COMPLETION, received);
      const cursor = suggestionCursor(this.#documents, params);
      if (cursor === undefined) return null;
      const { range, ...request } = cursor;
      const suggestions = await this.#nextEdits.ghostText.run(() =>
        this.#session.complete({
          ...request,
          settings: this.#settings,
          signal: requestSignal(token, this.#ending.signal),
          onPart: (parts) => {
            sendGrowing(this.#connection, params.growingResultToken, completionItems(parts, range));
            this.#nextEdits.offered(request.uri, parts);
          },
        }),
      );
      this.#nextEdits.offered(request.uri, suggestions);
      return suggestions.length === 0 ? null : completionItems(suggestions, range);
    } catch (error) {
      if (error instanceof WrongMessage) this.#client.reportWrongMessage('completion', error);
      else this.#client.log(failureLine('completion', error));
      return null;
    }
  }

  async #generate(params: ParamsOf<typeof Method.generate>, signal: AbortSignal): Promise<GenerateResult> {
    this.#session.stopPrefetch();
    const parts = {
      connection: this.#connection,
      session: this.#session,
      lease: this.#lease,
      history: this.#history,
    };
    return await generate(parts, params, this.#settings, signal);
  }

  async #compare(signal: AbortSignal): Promise<CompareResult> {
    this.#session.stopPrefetch();
    return await this.#lease.use((model) =>
      this.#lease.busy(() => compare(model, this.#history, this.#settings, signal)),
    );
  }

  async #startServing(): Promise<ServingParams> {
    await this.#httpServing.start(this.#connection, this.#settings, (line) => {
      this.#client.log(line);
    });
    return this.#serving;
  }

  async #stopServing(): Promise<ServingParams> {
    await this.#httpServing.stop();
    return this.#serving;
  }

  /** The status to report: that of the model of suggestions, its chosen pair, a pause, and next edits. */
  get #status(): StatusParams {
    const { status, statusSettings = this.#settings } = this.#lease;
    const { target, drafter } = statusSettings;
    const nextEdit = this.#nextEdits.status;
    return {
      ...status,
      chosen: { target, drafter },
      ...(this.#power.isPaused && { paused: 'battery' }),
      ...(nextEdit && { nextEdit }),
    };
  }

  get #serving(): ServingParams {
    return { address: this.#httpServing.address ?? null };
  }

  /** Returns the decoder of one request for suggestions. */
  #decoder(model: Model, kind: 'inline' | 'prefetch'): RecordingDecoder {
    const { draftLength } = this.#settings;
    return new RecordingDecoder(model, { kind, draftLength, repetitionGuard: true }, this.#history);
  }

  #parseSettings(value: unknown): ClientSettings {
    return { ...parseSettings(value), ...this.#remote };
  }
}
