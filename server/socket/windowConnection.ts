// The connection to one window among several. The library assumes one connection per process and ends the process with
// it. Here the end of a client ends only its connection.
import type { Socket } from 'node:net';
import { createConnection, type Connection } from 'vscode-languageserver';
import {
  createProtocolConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';

export function windowConnection(socket: Socket): Connection {
  return createConnection(
    (logger) =>
      createProtocolConnection(new StreamMessageReader(socket), new StreamMessageWriter(socket), logger),
    // Replaces the library's own, which watches the client's process and exits with it.
    { shutdownReceived: false, initialize: () => undefined, exit: () => void socket.end() },
    ProposedFeatures.all,
  );
}
