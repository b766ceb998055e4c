// The library's client, set up for one connection: to the server that all windows share, or to a process of this
// window's own. Shows nothing itself; whoever listens decides what the person sees.
import type * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  StreamMessageReader,
  StreamMessageWriter,
  TransportKind,
  type Middleware,
  type ServerOptions,
} from 'vscode-languageclient/node';
import type { ServerSettings } from '../server/protocol';
import { SCHEMES } from './gate';
import type { ReachedServer } from './reachServer';

export interface LanguageClientOptions {
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

/** `onClosed` comes once, when the server has gone without being asked to. */
export function languageClient(
  { module, log, settings, middleware }: LanguageClientOptions,
  shared: ReachedServer | undefined,
  onClosed: () => void,
): LanguageClient {
  return new QuietClient('flashline', 'Flashline', shared ? streamsOf(shared) : ownProcess(module), {
    documentSelector: SCHEMES.map((scheme) => ({ scheme })),
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: settings,
    initializationFailedHandler: () => false,
    middleware,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        onClosed();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
  });
}

/** Whether the extension is being debugged; the server is then debugged along with it. */
export function isDebugged(): boolean {
  return process.execArgv.some((word) => /^--(inspect|debug)(-brk)?(=|$)/.test(word));
}

function streamsOf({ socket }: ReachedServer): ServerOptions {
  return () =>
    Promise.resolve({
      reader: new StreamMessageReader(socket),
      writer: new StreamMessageWriter(socket),
      detached: true,
    });
}

function ownProcess(module: string): ServerOptions {
  const run = { module, transport: TransportKind.ipc };
  return { run, debug: { ...run, options: { execArgv: ['--inspect=6009', '--enable-source-maps'] } } };
}
