// Entry point of the language server as a process of VS Code: either shared by all windows over a local socket, or
// private to one window over the IPC channel of Node. Listens at a port, of this machine only, once a window starts the
// server for other tools.
import { parseArgs } from 'node:util';
import {
  createConnection,
  IPCMessageReader,
  IPCMessageWriter,
  ProposedFeatures,
} from 'vscode-languageserver/node';
import { Composition } from './composition';
import { SharedServer } from '../socket/sharedServer';
import { visibleText } from '../rules/visibleText';

/** Number of uncaught errors after which the process exits, since a new process is likely to work better. */
const MAX_ERRORS = 100;

const { values } = parseArgs({
  options: { socket: { type: 'string' }, id: { type: 'string' }, linger: { type: 'string' } },
  strict: false, // The client library adds arguments of its own.
});
const { socket, id: serverId, linger } = values;

if (typeof socket === 'string' && typeof serverId === 'string') {
  share(socket, serverId, typeof linger === 'string' ? Number(linger) : undefined).catch((error: unknown) => {
    process.stderr.write(`${visibleText(error instanceof Error ? error.message : String(error))}\n`);
    process.exit(1);
  });
} else {
  // While a decode runs, no other event shows that the client has gone.
  process.once('disconnect', () => process.exit(1));
  const reader = new IPCMessageReader(process);
  const writer = new IPCMessageWriter(process);
  new Composition().serve(createConnection(ProposedFeatures.all, reader, writer));
}

/**
 * Serves windows, and exits once there has been none for `lingerMs`. If another server has the name, exits immediately
 * without an error.
 */
async function share(name: string, id: string, lingerMs: number | undefined): Promise<void> {
  const composition = new Composition();
  const server = await SharedServer.start({
    name,
    id,
    lingerMs,
    serve: (connection) => composition.serve(connection),
  });
  if (server === undefined) process.exit(0);
  surviveUncaughtErrors();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      void server.end();
    });
  await server.ended;
  await composition.httpServer.stop();
  process.exit(0);
}

/** Prints uncaught errors and goes on: an error in the work for one window must not end the server for the others. */
function surviveUncaughtErrors(): void {
  let errors = 0;
  const survive = (error: unknown): void => {
    errors += 1;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${visibleText(text)}\n`);
    if (errors === MAX_ERRORS) process.exit(1);
  };
  process.on('uncaughtException', survive);
  process.on('unhandledRejection', survive);
}
