// The connection to the language server: starts it, starts it again after a crash, stops it, and gives each custom
// message a typed method. Shows nothing itself; whoever listens decides what the person sees.
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  NotificationType,
  ProgressType,
  RequestType,
  RequestType0,
  RevealOutputChannelOn,
  TransportKind,
  type Middleware,
} from 'vscode-languageclient/node';
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
import { SCHEMES } from './gate';
import { RestartPolicy } from './restartPolicy';

export type ConnectionState = 'starting' | 'running' | 'restarting' | 'stopped';

const generateRequest = new RequestType<GenerateParams, GenerateResult, void>(Method.generate);
const compareRequest = new RequestType0<CompareResult, void>(Method.compare);
const historyRequest = new RequestType0<StatsRow[], void>(Method.history);
const settingsNotification = new NotificationType<ServerSettings>(Method.settings);

export interface ClientOptions {
  /** Path of the server's bundle. */
  readonly module: string;
  readonly log: vscode.LogOutputChannel;
  readonly settings: () => ServerSettings;
  readonly middleware: Middleware;
}

/** Whatever goes wrong is in the log and in the status; never in a message of the library's own. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class FlashlineClient implements vscode.Disposable {
  #client: LanguageClient | undefined;
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
    return this.#client?.serverProcess?.pid;
  }

  start(): Promise<void> {
    return this.#inTurn(() => this.#launch('starting'));
  }

  restart(): Promise<void> {
    return this.#inTurn(async () => {
      this.#restarts.reset();
      await this.#close();
      await this.#launch('restarting');
    });
  }

  stop(): Promise<void> {
    return this.#inTurn(() => this.#close());
  }

  sendSettings(settings: ServerSettings): void {
    if (this.#state !== 'running') return; // They go along with the next start.
    this.#client?.sendNotification(settingsNotification, settings).catch((error: unknown) => {
      this.options.log.error('Sending the settings failed.', error);
    });
  }

  async generate(
    document: vscode.TextDocument,
    params: Omit<GenerateParams, 'uri' | 'partialResultToken'>,
    onDelta: (delta: GenerateDelta) => void,
    token: vscode.CancellationToken,
  ): Promise<GenerateResult> {
    const client = this.#running();
    const partialResultToken = `flashline-generate-${(this.#requests += 1)}`;
    // Listens first, so that no delta is lost.
    const progress = client.onProgress(new ProgressType<GenerateDelta>(), partialResultToken, onDelta);
    try {
      const uri = client.code2ProtocolConverter.asUri(document.uri);
      return await client.sendRequest(generateRequest, { ...params, uri, partialResultToken }, token);
    } finally {
      progress.dispose();
    }
  }

  async compare(token: vscode.CancellationToken): Promise<CompareResult> {
    return await this.#running().sendRequest(compareRequest, token);
  }

  async history(): Promise<StatsRow[]> {
    if (this.#state !== 'running') return [];
    return await this.#running().sendRequest(historyRequest, new vscode.CancellationTokenSource().token);
  }

  dispose(): void {
    this.#connection.dispose();
    this.#status.dispose();
    this.#stats.dispose();
  }

  #running(): LanguageClient {
    if (this.#client !== undefined && this.#state === 'running') return this.#client;
    throw new Error(
      vscode.l10n.t('The Flashline server is not running; restart it from the Flashline menu.'),
    );
  }

  async #launch(state: ConnectionState): Promise<void> {
    this.#set(state);
    const client = this.#make();
    this.#client = client;
    try {
      await client.start();
      if (this.#client === client) this.#set('running');
    } catch (error) {
      this.#ended(client, error);
    }
  }

  async #close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    try {
      await client?.stop();
    } catch (error) {
      this.options.log.warn('The server did not stop by itself.', error);
    }
    this.#set('stopped');
  }

  /** The server has gone without being asked to; comes once for each client. */
  #ended(client: LanguageClient, error?: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    const again = this.#restarts.mayRestart(Date.now());
    this.options.log.error(
      again ? 'The server ended; starting it again.' : 'The server ended too often.',
      error ?? '',
    );
    if (!again) return void this.#set('stopped');
    this.#set('restarting');
    void this.#inTurn(() => (this.#state === 'restarting' ? this.#launch('restarting') : Promise.resolve()));
  }

  #make(): LanguageClient {
    const { module, log, settings, middleware } = this.options;
    const server = { module, transport: TransportKind.ipc };
    const debug = { ...server, options: { execArgv: ['--inspect=6009', '--enable-source-maps'] } };
    const client: LanguageClient = new QuietClient(
      'flashline',
      'Flashline',
      { run: server, debug },
      {
        documentSelector: SCHEMES.map((scheme) => ({ scheme })),
        outputChannel: log,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        initializationOptions: settings,
        initializationFailedHandler: () => false,
        middleware,
        errorHandler: {
          error: () => ({ action: ErrorAction.Continue, handled: true }),
          closed: () => {
            this.#ended(client);
            return { action: CloseAction.DoNotRestart, handled: true };
          },
        },
      },
    );
    client.onNotification(Method.status, (status: StatusParams) => {
      if (this.#client === client) this.#status.fire(status);
    });
    client.onNotification(Method.stats, (row: StatsRow) => {
      if (this.#client === client) this.#stats.fire(row);
    });
    return client;
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
