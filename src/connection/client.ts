// The language server as the extension uses it: starts, restarts and stops it, and carries requests. Shows nothing
// itself; the listeners of its events decide what the user sees.
import * as vscode from 'vscode';
import {
  type InlineCompletionItem,
  type LanguageClient,
  type Middleware,
  ProgressType,
} from 'vscode-languageclient/node';
import {
  INLINE_COMPLETION,
  MAX_TAB_SIZE,
  Method,
  type ClientNotifications,
  type ClientSettings,
  type Requests,
  type ServerNotifications,
  type ServingParams,
  type StatsRow,
  type StatusParams,
  type StreamedParts,
} from '../../server/protocol/messages';
import { OneAtATime } from '../../server/rules/oneAtATime';
import { endsWithin } from './endsWithin';
import { endProcess, reachServer, type ReachedServer, type ServerProgram } from './reachServer';
import { RestartPolicy } from './restartPolicy';
import { ServerLink } from './serverLink';

export type ConnectionState = 'starting' | 'running' | 'restarting' | 'stopped';

/** Token of requests that are never cancelled. */
const NEVER = new vscode.CancellationTokenSource().token;

/** A request from VS Code for inline suggestions. */
export interface InlineSuggestionRequest {
  readonly document: vscode.TextDocument;
  readonly position: vscode.Position;
  readonly context: vscode.InlineCompletionContext;
}

export interface ClientOptions {
  readonly program: ServerProgram;
  readonly log: vscode.LogOutputChannel;
  /** Returns whether all windows use one server. */
  readonly sharesServer: () => boolean;
  readonly serverSettings: () => ClientSettings;
}

export class FlashlineClient implements vscode.Disposable {
  readonly #stateChanged = new vscode.EventEmitter<ConnectionState>();
  readonly #statusReceived = new vscode.EventEmitter<StatusParams>();
  readonly #statsReceived = new vscode.EventEmitter<StatsRow>();
  readonly #servingReceived = new vscode.EventEmitter<ServingParams>();
  #middleware: Middleware = {};
  #link: ServerLink | undefined;
  #state: ConnectionState = 'starting';
  /** Queue of starts and stops, which run one at a time. */
  readonly #turns = new OneAtATime();
  #streamCount = 0;
  /** Settings last sent to the server, as JSON. */
  #sentSettings = '';
  readonly #restarts: RestartPolicy;

  readonly #firstStart: Promise<void>;
  #onFirstStart!: () => void;

  readonly onDidChangeState = this.#stateChanged.event;
  readonly onDidReceiveStatus = this.#statusReceived.event;
  /** Fires with the statistics of each request. */
  readonly onDidReceiveStats = this.#statsReceived.event;
  /** Fires with the address of the HTTP server for other tools. */
  readonly onDidReceiveServing = this.#servingReceived.event;

  constructor(private readonly options: ClientOptions) {
    this.#restarts = new RestartPolicy(options.log);
    this.#firstStart = new Promise((resolve) => (this.#onFirstStart = resolve));
  }

  /** Process id of the server; undefined until it has answered, and after it has ended. */
  get serverProcessId(): number | undefined {
    return this.#link?.processId;
  }

  /** Adds middleware for servers that start later. */
  use(middleware: Middleware): void {
    this.#middleware = { ...this.#middleware, ...middleware };
  }

  start(): Promise<void> {
    return this.#turns.run(() => this.#launch('starting')).finally(this.#onFirstStart);
  }

  /** Waits until the first start has succeeded or failed, but not longer than the limit. */
  async waitForFirstStart(limitMs: number): Promise<void> {
    await endsWithin(this.#firstStart, limitMs);
  }

  /** Opens a new connection, possibly to the same process, without keeping any state of the old one. */
  reconnect(): Promise<void> {
    return this.#turns.run(async () => {
      await this.#close('restarting');
      await this.#launch('restarting');
    });
  }

  /** Starts a new process. Other windows that share the old process connect to the new one themselves. */
  restart(): Promise<void> {
    return this.#turns.run(async () => {
      this.#restarts.reset();
      const processId = this.#link?.shared && this.serverProcessId;
      await this.#close('restarting');
      if (processId !== undefined) await endProcess(processId);
      await this.#launch('restarting');
    });
  }

  stop(): Promise<void> {
    return this.#turns.run(() => this.#close('stopped'));
  }

  dispose(): void {
    for (const emitter of [
      this.#stateChanged,
      this.#statusReceived,
      this.#statsReceived,
      this.#servingReceived,
    ])
      emitter.dispose();
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  /** Sends the settings to the server if they have changed; a new server gets them when it starts. */
  sendSettings(): void {
    if (!this.isRunning || this.#sentSettings === JSON.stringify(this.options.serverSettings())) return;
    this.notify(Method.settings, this.#takeSettings());
  }

  /** Sends a notification if the server is running. */
  notify<M extends keyof ClientNotifications>(method: M, params: ClientNotifications[M]): void {
    if (this.#link === undefined || !this.isRunning) return;
    this.#link.client.sendNotification(method, params).catch((error: unknown) => {
      this.options.log.error('Sending a notification to the server failed.', error);
    });
  }

  /** Sends a request. Rejects if no server is running. */
  async request<M extends keyof Requests>(
    method: M,
    params: Requests[M]['params'],
    token = NEVER,
  ): Promise<Requests[M]['result']> {
    return await this.#running.sendRequest(method, params, token);
  }

  /** Sends a request that returns partial results before it ends. */
  stream<M extends keyof StreamedParts>(
    method: M,
    params: Requests[M]['params'],
    onPart: (part: StreamedParts[M]) => void,
    token: vscode.CancellationToken,
  ): Promise<Requests[M]['result']> {
    return this.#receivingParts(onPart, (partialResultToken) =>
      this.request(method, { ...params, partialResultToken }, token),
    );
  }

  /** Requests suggestions; `onPart` is called with partial results, each of which replaces the last. */
  async suggestions(
    { document, position, context }: InlineSuggestionRequest,
    onPart: (items: vscode.InlineCompletionItem[]) => void,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    const { code2ProtocolConverter: to, protocol2CodeConverter: from } = this.#running;
    type Items = readonly InlineCompletionItem[] | null;
    const itemsOf = (items: Items) => (items ?? []).map((item) => from.asInlineCompletionItem(item));
    const formatting = formattingOf(document);
    const params = {
      ...to.asInlineCompletionParams(document, position, context),
      ...(formatting && { formatting }),
    };
    const onItems = (items: Items): void => {
      onPart(itemsOf(items));
    };
    const items = await this.#receivingParts(onItems, (growingResultToken) =>
      this.#running.sendRequest<Items>(INLINE_COMPLETION, { ...params, growingResultToken }, token),
    );
    return itemsOf(items);
  }

  /** Calls `onPart` with each part that arrives for the token passed to `send`, until `send` has ended. */
  async #receivingParts<Result, Part>(
    onPart: (part: Part) => void,
    send: (progressToken: string) => Promise<Result>,
  ): Promise<Result> {
    const progressToken = `flashline-${(this.#streamCount += 1)}`;
    const progress = this.#running.onProgress(new ProgressType<Part>(), progressToken, onPart);
    try {
      return await send(progressToken);
    } finally {
      progress.dispose();
    }
  }

  /** Client of the running server; throws if none is running. */
  get #running(): LanguageClient {
    if (this.#link !== undefined && this.isRunning) return this.#link.client;
    throw new Error('The Flashline server is not running. Restart it from the Flashline menu.');
  }

  async #launch(state: ConnectionState): Promise<void> {
    this.#setState(state);
    const shared = await this.#reach();
    if (!(await this.#start(this.#newLink(shared)))) await this.#start(this.#newLink(undefined));
  }

  /** Starts the client of a link. Returns false, without the link, if a shared server does not answer. */
  async #start(link: ServerLink): Promise<boolean> {
    this.#link = link;
    try {
      if (!(await link.start())) {
        this.#link = undefined;
        link.close();
        this.options.log.warn('The shared server does not answer, so this window starts its own.');
        return false;
      }
      // The server can have ended during the start.
      if (this.#link !== link) return true;
      this.#setState('running');
      // The settings can have changed during the start.
      this.sendSettings();
    } catch (error) {
      this.#onEnd(link, error);
    }
    return true;
  }

  async #close(next: ConnectionState): Promise<void> {
    const link = this.#link;
    this.#link = undefined;
    this.#setState(next);
    try {
      await link?.stop();
    } catch (error) {
      this.options.log.warn('The server did not stop on its own.', error);
    }
  }

  /** Restarts a server that ended although this window did not stop it; acts once per connection. */
  #onEnd(link: ServerLink, error?: unknown): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    link.close();
    this.#setState('restarting');
    this.#turns
      .run(async () => {
        // Another call has started or stopped the server in the meantime.
        if (this.#state !== 'restarting') return;
        if (await this.#restarts.allowsRestart(link, error)) await this.#launch('restarting');
        else this.#setState('stopped');
      })
      .catch((failure: unknown) => {
        this.options.log.error('Restarting the server failed.', failure);
        this.#setState('stopped');
      });
  }

  /** Connects to the shared server; returns undefined if this window has to start its own. */
  async #reach(): Promise<ReachedServer | undefined> {
    const { program, log, sharesServer } = this.options;
    if (isDebugged() || !sharesServer()) return undefined;
    try {
      return await reachServer(program);
    } catch (error) {
      log.warn('No server can be shared, so this window starts its own.', error);
      return undefined;
    }
  }

  /** Makes the link to the shared server or, without one, to a process for this window. */
  #newLink(shared: ReachedServer | undefined): ServerLink {
    const { program, log } = this.options;
    const link = new ServerLink({
      program,
      shared,
      log,
      middleware: this.#middleware,
      settings: () => this.#takeSettings(),
      onClosed: (closed) => {
        this.#onEnd(closed);
      },
    });
    this.#listen(link, Method.status, this.#statusReceived);
    this.#listen(link, Method.stats, this.#statsReceived);
    this.#listen(link, Method.serving, this.#servingReceived);
    return link;
  }

  /** Fires an event with each notification of the server while the link is in use. */
  #listen<M extends keyof ServerNotifications>(
    link: ServerLink,
    method: M,
    emitter: vscode.EventEmitter<ServerNotifications[M]>,
  ): void {
    link.client.onNotification(method, (params: ServerNotifications[M]) => {
      if (this.#link === link) emitter.fire(params);
    });
  }

  /** Returns the settings to send, and records them as sent. */
  #takeSettings(): ClientSettings {
    const settings = this.options.serverSettings();
    this.#sentSettings = JSON.stringify(settings);
    return settings;
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    this.#stateChanged.fire(state);
  }
}

/** Returns whether the extension is being debugged; its server is then debugged along with it. */
function isDebugged(): boolean {
  return process.execArgv.some((word) => /^--(inspect|debug)(-brk)?(=|$)/.test(word));
}

/** Returns the indentation in the active editor; undefined for another document, or if the server would refuse it. */
function formattingOf(document: vscode.TextDocument) {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document !== document) return undefined;
  const { tabSize, insertSpaces } = editor.options;
  const isKnown = typeof tabSize === 'number' && tabSize <= MAX_TAB_SIZE && typeof insertSpaces === 'boolean';
  return isKnown ? { tabSize, insertSpaces } : undefined;
}
