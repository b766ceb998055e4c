// The link to one server process: the language client of VS Code's library, which starts a process for this window
// alone or uses the socket of the shared server.
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
  RevealOutputChannelOn,
  type ServerOptions,
  TransportKind,
} from 'vscode-languageclient/node';
import type { Socket } from 'node:net';
import type { LogOutputChannel } from 'vscode';
import { Method, type ClientSettings } from '../../server/protocol/messages';
import { SELECTOR } from '../gate/gate';
import { endsWithin } from './endsWithin';
import { REACH_LIMIT_MS, type ReachedServer, type ServerProgram } from './reachServer';

interface LinkOptions {
  readonly program: ServerProgram;
  /** The shared server; undefined to start a process for this window alone. */
  readonly shared: ReachedServer | undefined;
  readonly log: LogOutputChannel;
  readonly middleware: Middleware;
  /** Returns the settings to start with. */
  readonly settings: () => ClientSettings;
  /** Called when the connection has closed without `stop`, possibly more than once. */
  readonly onClosed: (link: ServerLink) => void;
}

/** The library's client, changed to log problems instead of showing pop-ups. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class ServerLink {
  readonly client: LanguageClient;
  readonly shared: ReachedServer | undefined;
  readonly #limitMs: number;
  #isEnding = false;

  constructor(options: LinkOptions) {
    const { program, shared } = options;
    this.shared = shared;
    this.#limitMs = program.limitMs ?? REACH_LIMIT_MS;
    const server = serverOptions(program, shared?.socket);
    this.client = new QuietClient('flashline', 'Flashline', server, this.#clientOptions(options));
    this.client.onNotification(Method.ending, () => {
      this.#isEnding = true;
    });
  }

  /** Whether the server has announced that it was asked to end, as when another window restarts it. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Process id of the server; undefined until it has answered. */
  get processId(): number | undefined {
    const id: unknown = this.client.initializeResult?.['serverProcessId'];
    return typeof id === 'number' ? id : undefined;
  }

  /**
   * Starts the client. Resolves with false if a shared server does not answer in time: its process is suspended, or
   * another program listens on its socket.
   */
  async start(): Promise<boolean> {
    const started = this.client.start();
    if (this.shared === undefined) await started;
    else if (!(await endsWithin(started, this.#limitMs))) {
      started.catch(() => undefined);
      return false;
    }
    return true;
  }

  /** Shuts the connection down. Rejects if the server does not take part in that. */
  async stop(): Promise<void> {
    try {
      await this.client.stop();
    } finally {
      this.close();
    }
  }

  /** Closes the connection to a shared server without shutting it down. */
  close(): void {
    this.shared?.socket.destroy();
  }

  #clientOptions({ log, middleware, settings, onClosed }: LinkOptions): LanguageClientOptions {
    return {
      documentSelector: SELECTOR,
      outputChannel: log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: settings,
      initializationFailedHandler: () => false,
      middleware,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        // FlashlineClient decides about restarts; the library would log that there will be none.
        closed: () => {
          onClosed(this);
          const message = 'The connection to the server has closed.';
          return { action: CloseAction.DoNotRestart, message, handled: true };
        },
      },
    };
  }
}

/** Returns options that connect to the shared server at `socket`; without one, that start a process for this window. */
function serverOptions({ module }: ServerProgram, socket: Socket | undefined): ServerOptions {
  if (socket !== undefined) return () => Promise.resolve({ reader: socket, writer: socket, detached: true });
  const run = { module, transport: TransportKind.ipc };
  return { run, debug: { ...run, options: { execArgv: ['--inspect=6009', '--enable-source-maps'] } } };
}
