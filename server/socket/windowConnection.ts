// The connection to one window among several. The library assumes one connection per process and ends the process with
// it. Here the end of a client ends only its connection.
import type { Socket } from 'node:net';
import { createConnection, type Connection, type Logger } from 'vscode-languageserver';
import {
  createProtocolConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';

export function windowConnection(socket: Socket): Connection {
  return createConnection(
    (logger) =>
      createProtocolConnection(
        new StreamMessageReader(socket),
        new StreamMessageWriter(socket),
        forgiving(logger),
      ),
    // Replaces the library's own, which watches the client's process and exits with it.
    { shutdownReceived: false, initialize: () => undefined, exit: () => void socket.end() },
    ProposedFeatures.all,
  );
}

/** The library logs that an answer has found no reader, by sending that to the same reader, which throws. */
function forgiving(logger: Logger): Logger {
  const to = (name: keyof Logger) => (message: string) => {
    try {
      logger[name](message);
    } catch {
      // The window has closed.
    }
  };
  return { error: to('error'), warn: to('warn'), info: to('info'), log: to('log') };
}
