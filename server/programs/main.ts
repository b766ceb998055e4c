// The language server's process, as VS Code starts it: either shared by its windows over a local socket, or private to
// one window over the channel between Node processes. Never over a network.
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

/** After this many uncaught errors a new process is better. */
const MAX_ERRORS = 100;

const { values } = parseArgs({
  options: { socket: { type: 'string' }, id: { type: 'string' }, linger: { type: 'string' } },
  strict: false, // The library of the client adds words of its own.
});
const { socket, id, linger } = values;

if (typeof socket === 'string' && typeof id === 'string') {
  share(socket, id, typeof linger === 'string' ? Number(linger) : undefined).catch((error: unknown) => {
    process.stderr.write(`${visibleText(error instanceof Error ? error.message : String(error))}\n`);
    process.exit(1);
  });
} else {
  // On this channel, nothing else shows that the client has gone while a decode runs.
  process.once('disconnect', () => process.exit(1));
  const [reader, writer] = [new IPCMessageReader(process), new IPCMessageWriter(process)];
  new Composition().serve(createConnection(ProposedFeatures.all, reader, writer));
}

/** Ends after `lingerMs` without a window. Exits quietly, without an error, if another server is there. */
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
  await composition.tools.stop();
  process.exit(0);
}

/** One window's errors must not take the server from the others, so uncaught ones are only printed. */
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
