// The library's client, kept from showing anything itself, and how it gets to its server.
import type { Socket } from 'node:net';
import { LanguageClient, TransportKind, type ServerOptions } from 'vscode-languageclient/node';
import type { ServerProgram } from './reachServer';

/** Problems go to the log and the status, never into a pop-up of the library. */
export class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Whether the extension is being debugged; the server is then debugged along with it. */
export function isDebugged(): boolean {
  return process.execArgv.some((word) => /^--(inspect|debug)(-brk)?(=|$)/.test(word));
}

/** The shared server behind `socket`, or this window's own process. */
export function serverOptions({ module }: ServerProgram, socket: Socket | undefined): ServerOptions {
  if (socket !== undefined) return () => Promise.resolve({ reader: socket, writer: socket, detached: true });
  const run = { module, transport: TransportKind.ipc };
  return { run, debug: { ...run, options: { execArgv: ['--inspect=6009', '--enable-source-maps'] } } };
}
