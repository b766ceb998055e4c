// The connection to the language server: starts it, restarts it after a crash, stops it, and carries requests.
// Shows nothing itself; its listeners decide what the user sees.
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  ProgressType,
  RevealOutputChannelOn,
  type ErrorHandler,
  type InlineCompletionItem,
  LanguageClient,
  type Middleware,
  TransportKind,
  type ServerOptions,
} from 'vscode-languageclient/node';
import {
  Method,
  type ClientSettings,
  type ServingParams,
  type StatsRow,
  type StatusParams,
} from '../../server/protocol/messages';
import { OneAtATime } from '../../server/rules/inParallel';
import type { Settings } from '../configuration';
import { SELECTOR } from '../ghostText/gate';
import { endProcess, LIMIT_MS, reachServer, type ReachedServer, type ServerProgram } from './reachServer';
import type { Socket } from 'node:net';

export type ConnectionState = 'starting' | 'running' | 'restarting' | 'stopped';

const NEVER = new vscode.CancellationTokenSource().token;

export interface ClientOptions {
  readonly program: ServerProgram;
  readonly log: vscode.LogOutputChannel;
  readonly settings: () => Pick<Settings, 'shareServer'>;
  readonly serverSettings: () => ClientSettings;
  /** Made once there is a client. */
  readonly middleware: () => Middleware;
  readonly onConnection: (state: ConnectionState) => void;
  readonly onStatus: (status: StatusParams) => void;
  readonly onStats: (row: StatsRow) => void;
  readonly onServing: (serving: ServingParams) => void;
}

interface Link {
  readonly client: LanguageClient;
  readonly shared: ReachedServer | undefined;
  /** The server has announced that it ends on request. */
  isEnding: boolean;
}

export class FlashlineClient {
  #link: Link | undefined;
  #state: ConnectionState = 'starting';
  /** Starts and stops. */
  readonly #turns = new OneAtATime();
  #requests = 0;
  /** The settings that the server was told last. */
  #told = '';
  /** Counts crashes: five within three minutes are too many. */
  #crashes: ErrorHandler | undefined;

  constructor(private readonly options: ClientOptions) {}

  get serverProcessId(): number | undefined {
    const id: unknown = this.#link?.client.initializeResult?.['serverProcessId'];
    return typeof id === 'number' ? id : undefined;
  }

  start(): Promise<void> {
    return this.#turns.run(() => this.#launch('starting'));
  }

  /** A new connection that keeps nothing from the old one; the process may be the same. */
  reconnect(): Promise<void> {
    return this.#turns.run(async () => {
      await this.#close('restarting');
      await this.#launch('restarting');
    });
  }

  /** A new process. Other windows that share the old one connect to the new one on their own. */
  restart(): Promise<void> {
    return this.#turns.run(async () => {
      this.#crashes = undefined;
      const processId = this.#link?.shared && this.serverProcessId;
      await this.#close('restarting');
      if (processId !== undefined) await endProcess(processId);
      await this.#launch('restarting');
    });
  }

  stop(): Promise<void> {
    return this.#turns.run(() => this.#close('stopped'));
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  /** Tells the server the settings if they have changed; a server that starts is told them anyway. */
  sendSettings(): void {
    if (this.#told === JSON.stringify(this.options.serverSettings())) return;
    this.notify((client) => client.sendNotification(Method.settings, this.#tell()));
  }

  /** Sends a notification, if the server runs. */
  notify(send: (client: LanguageClient) => Promise<void>): void {
    if (this.#link === undefined || !this.isRunning) return;
    send(this.#link.client).catch((error: unknown) => {
      this.options.log.error('Telling the server failed.', error);
    });
  }

  /** A custom request; its method determines the result. */
  async request<Result>(method: string, params: object, token = NEVER): Promise<Result> {
    return await this.#running.sendRequest<Result>(method, params, token);
  }

  /** A request that sends parts before it ends; `field` names what they go to. It listens first. */
  async stream<Result, Part>(
    method: string,
    params: object,
    onPart: (part: Part) => void,
    token: vscode.CancellationToken,
    field = 'partialResultToken',
  ): Promise<Result> {
    const stream = `flashline-${(this.#requests += 1)}`;
    const progress = this.#running.onProgress(new ProgressType<Part>(), stream, onPart);
    try {
      return await this.request<Result>(method, { ...params, [field]: stream }, token);
    } finally {
      progress.dispose();
    }
  }

  /** The suggestions for a place; `onPart` gets what is known of them before. */
  async suggestions(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    onPart: (items: vscode.InlineCompletionItem[]) => void,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    const { code2ProtocolConverter: to, protocol2CodeConverter: from } = this.#running;
    type Items = readonly InlineCompletionItem[] | null;
    const read = (items: Items) => (items ?? []).map((item) => from.asInlineCompletionItem(item));
    const formatting = formattingOf(document);
    const asked = to.asInlineCompletionParams(document, position, context);
    const params = { ...asked, ...(formatting && { formatting }) };
    const onItems = (items: Items): void => {
      onPart(read(items));
    };
    const method = 'textDocument/inlineCompletion';
    return read(await this.stream<Items, Items>(method, params, onItems, token, 'growingResultToken'));
  }

  /** Throws while there is none. */
  get #running(): LanguageClient {
    if (this.#link !== undefined && this.isRunning) return this.#link.client;
    throw new Error('The Flashline server is not running. Restart it from the Flashline menu.');
  }

  async #launch(state: ConnectionState): Promise<void> {
    this.#set(state);
    const shared = await this.#reach();
    if (!(await this.#start(this.#connect(shared)))) await this.#start(this.#connect(undefined));
  }

  /** Returns false if the shared server is silent: its process is stopped, or another program listens in its place. */
  async #start(link: Link): Promise<boolean> {
    this.#link = link;
    const { client, shared } = link;
    try {
      const started = client.start();
      if (shared && !(await endsWithin(started, this.options.program.limitMs ?? LIMIT_MS))) {
        this.#link = undefined;
        started.catch(() => undefined);
        shared.socket.destroy();
        this.options.log.warn('The shared server does not answer, so this window starts its own.');
        return false;
      }
      await started;
      if (this.#link !== link) return true;
      this.#set('running');
      // They may have changed since it was told the first ones.
      this.sendSettings();
    } catch (error) {
      this.#ended(link, error);
    }
    return true;
  }

  /** `next` is what it leads to. */
  async #close(next: ConnectionState): Promise<void> {
    const link = this.#link;
    this.#link = undefined;
    this.#set(next);
    try {
      await link?.client.stop();
    } catch (error) {
      this.options.log.warn('The server did not stop on its own.', error);
    }
    link?.shared?.socket.destroy();
  }

  /** The server is gone although this window did not stop it; counts once per connection. */
  #ended(link: Link, error?: unknown): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    link.shared?.socket.destroy();
    this.#set('restarting');
    this.#turns
      .run(async () => {
        // Otherwise it was started or stopped in the meantime.
        if (this.#state !== 'restarting') return;
        if (await this.#mayRestart(link, error)) await this.#launch('restarting');
        else this.#set('stopped');
      })
      .catch((failure: unknown) => {
        this.options.log.error('Restarting the server failed.', failure);
        this.#set('stopped');
      });
  }

  async #mayRestart({ client, shared, isEnding }: Link, error: unknown): Promise<boolean> {
    const { log } = this.options;
    if (isEnding) {
      log.info('The shared server was restarted; connecting to the new one.');
      return true;
    }
    this.#crashes ??= client.createDefaultErrorHandler();
    const again = (await this.#crashes.closed()).action === CloseAction.Restart;
    const next = again
      ? 'The server exited; restarting it.'
      : 'The server keeps crashing; not restarting it.';
    log.error(next, error ?? '');
    const words = shared?.lastWords() ?? '';
    if (words !== '') log.error(`Its last output:\n${words}`);
    return again;
  }

  /** Undefined if this window is to have its own server. */
  async #reach(): Promise<ReachedServer | undefined> {
    const { program, log, settings } = this.options;
    if (isDebugged() || !settings().shareServer) return undefined;
    try {
      return await reachServer(program);
    } catch (error) {
      log.warn('No server can be shared, so this window starts its own.', error);
      return undefined;
    }
  }

  #connect(shared: ReachedServer | undefined): Link {
    const { program, log, middleware, onStatus, onStats, onServing } = this.options;
    const client = new QuietClient('flashline', 'Flashline', serverOptions(program, shared?.socket), {
      documentSelector: SELECTOR,
      outputChannel: log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => this.#tell(),
      initializationFailedHandler: () => false,
      middleware: middleware(),
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          this.#ended(link);
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    });
    const link: Link = { client, shared, isEnding: false };
    client.onNotification(Method.status, (status: StatusParams) => {
      if (this.#link === link) onStatus(status);
    });
    client.onNotification(Method.stats, (row: StatsRow) => {
      if (this.#link === link) onStats(row);
    });
    client.onNotification(Method.serving, (serving: ServingParams) => {
      if (this.#link === link) onServing(serving);
    });
    client.onNotification(Method.ending, () => {
      link.isEnding = true;
    });
    return link;
  }

  #tell(): ClientSettings {
    const settings = this.options.serverSettings();
    this.#told = JSON.stringify(settings);
    return settings;
  }

  #set(state: ConnectionState): void {
    this.#state = state;
    try {
      this.options.onConnection(state);
    } catch (error) {
      this.options.log.error(`Telling that the connection is ${state} failed.`, error);
    }
  }
}

/** Problems go to the log and the status, never into a pop-up of the library. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Rejects as `work` does if that is in time. */
async function endsWithin(work: Promise<void>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the extension is being debugged; the server is then debugged along with it. */
function isDebugged(): boolean {
  return process.execArgv.some((word) => /^--(inspect|debug)(-brk)?(=|$)/.test(word));
}

/** The shared server behind `socket`, or this window's own process. */
function serverOptions({ module }: ServerProgram, socket: Socket | undefined): ServerOptions {
  if (socket !== undefined) return () => Promise.resolve({ reader: socket, writer: socket, detached: true });
  const run = { module, transport: TransportKind.ipc };
  return { run, debug: { ...run, options: { execArgv: ['--inspect=6009', '--enable-source-maps'] } } };
}

/** How the document's editor indents; undefined where it is not the active one, or its options are not known yet. */
function formattingOf(document: vscode.TextDocument) {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document !== document) return undefined;
  const { tabSize, insertSpaces } = editor.options ?? {};
  const isKnown = typeof tabSize === 'number' && tabSize <= 16 && typeof insertSpaces === 'boolean';
  return isKnown ? { tabSize, insertSpaces } : undefined;
}
