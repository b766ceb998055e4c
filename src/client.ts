// The connection to the language server: starts it, starts it again after a crash, stops it, and gives each custom
// message a typed method. Shows nothing itself; whoever listens decides what the person sees.
import * as vscode from 'vscode';
import { NotificationType, ProgressType, type LanguageClient } from 'vscode-languageclient/node';
import {
  Method,
  type CompareResult,
  type GenerateDelta,
  type GenerateParams,
  type GenerateResult,
  type ServerSettings,
  type StatsRow,
  type StatusParams,
} from '../server/protocol';
import { endProcess } from './endProcess';
import { isDebugged, languageClient, type LanguageClientOptions } from './languageClient';
import { reachServer, type ReachedServer } from './reachServer';
import { RestartPolicy } from './restartPolicy';

export type ConnectionState = 'starting' | 'running' | 'restarting' | 'stopped';

const NEVER = new vscode.CancellationTokenSource().token;
const settingsNotification = new NotificationType<ServerSettings>(Method.settings);

export interface ClientOptions extends LanguageClientOptions {
  /** Of the extension. */
  readonly version: string;
  /** Whether the server is to be the one that all windows share. */
  readonly share: () => boolean;
}

interface Link {
  readonly client: LanguageClient;
  readonly shared: ReachedServer | undefined;
  /** The server has said that it ends because somebody wants that. */
  isEnding: boolean;
}

export class FlashlineClient implements vscode.Disposable {
  #link: Link | undefined;
  #state: ConnectionState = 'starting';
  #queue = Promise.resolve();
  #requests = 0;
  readonly #restarts = new RestartPolicy();
  readonly #connection = new vscode.EventEmitter<ConnectionState>();
  readonly #status = new vscode.EventEmitter<StatusParams>();
  readonly #stats = new vscode.EventEmitter<StatsRow>();

  readonly onConnection = this.#connection.event;
  readonly onStatus = this.#status.event;
  readonly onStats = this.#stats.event;

  constructor(private readonly options: ClientOptions) {}

  get connection(): ConnectionState {
    return this.#state;
  }

  get serverProcessId(): number | undefined {
    const id: unknown = this.#link?.client.initializeResult?.['serverProcessId'];
    return typeof id === 'number' ? id : undefined;
  }

  start(): Promise<void> {
    return this.#inTurn(() => this.#launch('starting'));
  }

  /** A new connection, for which nothing of the old one counts; the process may be the same. */
  reconnect(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#close();
      await this.#launch('restarting');
    });
  }

  /** A new process. Other windows that share the old one go over to the new one by themselves. */
  restart(): Promise<void> {
    return this.#inTurn(async () => {
      this.#restarts.reset();
      const processId = this.#link?.shared && this.serverProcessId;
      await this.#close();
      if (processId !== undefined) await endProcess(processId);
      await this.#launch('restarting');
    });
  }

  stop(): Promise<void> {
    return this.#inTurn(() => this.#close());
  }

  sendSettings(settings: ServerSettings): void {
    if (this.#state !== 'running') return; // They go along with the next start.
    this.#link?.client.sendNotification(settingsNotification, settings).catch((error: unknown) => {
      this.options.log.error('Sending the settings failed.', error);
    });
  }

  async generate(
    document: vscode.TextDocument,
    params: Omit<GenerateParams, 'uri' | 'partialResultToken'>,
    onDelta: (delta: GenerateDelta) => void,
    token: vscode.CancellationToken,
  ): Promise<GenerateResult> {
    const uri = this.#running().code2ProtocolConverter.asUri(document.uri);
    return await this.stream(Method.generate, { ...params, uri }, onDelta, token);
  }

  async compare(token: vscode.CancellationToken): Promise<CompareResult> {
    return await this.request(Method.compare, {}, token);
  }

  async history(): Promise<StatsRow[]> {
    return this.#state === 'running' ? await this.request(Method.history, {}) : [];
  }

  /** A request of our own; what it gives is up to its method. */
  async request<Result>(method: string, params: object, token = NEVER): Promise<Result> {
    return await this.#running().sendRequest<Result>(method, params, token);
  }

  /** One that gives parts of its result, or news of it, before its end. */
  async stream<Result, Part>(
    method: string,
    params: object,
    onPart: (part: Part) => void,
    token: vscode.CancellationToken,
  ): Promise<Result> {
    const client = this.#running();
    const partialResultToken = `flashline-${(this.#requests += 1)}`;
    // Listens first, so that no part is lost.
    const progress = client.onProgress(new ProgressType<Part>(), partialResultToken, onPart);
    try {
      return await client.sendRequest<Result>(method, { ...params, partialResultToken }, token);
    } finally {
      progress.dispose();
    }
  }

  dispose(): void {
    this.#connection.dispose();
    this.#status.dispose();
    this.#stats.dispose();
  }

  #running(): LanguageClient {
    if (this.#link !== undefined && this.#state === 'running') return this.#link.client;
    throw new Error(
      vscode.l10n.t('The Flashline server is not running; restart it from the Flashline menu.'),
    );
  }

  async #launch(state: ConnectionState): Promise<void> {
    this.#set(state);
    const link = this.#connect(await this.#reach());
    this.#link = link;
    try {
      await link.client.start();
      if (this.#link === link) this.#set('running');
    } catch (error) {
      this.#ended(link, error);
    }
  }

  async #close(): Promise<void> {
    const link = this.#link;
    this.#link = undefined;
    try {
      await link?.client.stop();
    } catch (error) {
      this.options.log.warn('The server did not stop by itself.', error);
    }
    link?.shared?.socket.destroy();
    this.#set('stopped');
  }

  /** The server has gone without being asked to by this window; counts once for each connection. */
  #ended(link: Link, error?: unknown): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    const { shared, isEnding } = link;
    const { log } = this.options;
    shared?.socket.destroy();
    const again = isEnding || this.#restarts.mayRestart(Date.now());
    if (isEnding) log.info('The shared server was restarted; connecting to the new one.');
    else {
      log.error(again ? 'The server ended; starting it again.' : 'The server ended too often.', error ?? '');
      const words = shared?.lastWords() ?? '';
      if (words !== '') log.error(`It said last:\n${words}`);
    }
    if (!again) return void this.#set('stopped');
    this.#set('restarting');
    void this.#inTurn(() => (this.#state === 'restarting' ? this.#launch('restarting') : Promise.resolve()));
  }

  /** Undefined where this window is to have a server of its own. */
  async #reach(): Promise<ReachedServer | undefined> {
    const { module, version, log, share } = this.options;
    if (isDebugged() || !share()) return undefined;
    try {
      return await reachServer({ module, version, environment: process.env });
    } catch (error) {
      log.warn('This window has a server of its own, as none can be shared.', error);
      return undefined;
    }
  }

  #connect(shared: ReachedServer | undefined): Link {
    const client = languageClient(this.options, shared, () => {
      this.#ended(link);
    });
    const link: Link = { client, shared, isEnding: false };
    client.onNotification(Method.status, (status: StatusParams) => {
      if (this.#link === link) this.#status.fire(status);
    });
    client.onNotification(Method.stats, (row: StatsRow) => {
      if (this.#link === link) this.#stats.fire(row);
    });
    client.onNotification(Method.ending, () => {
      link.isEnding = true;
    });
    return link;
  }

  #set(state: ConnectionState): void {
    this.#state = state;
    this.#connection.fire(state);
  }

  /** One start or stop at a time. */
  #inTurn(step: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(step);
    return this.#queue;
  }
}
