// The connection to one window among several. To the library a connection is the whole life of the process: it ends
// with the first client that says so or goes away. Here that ends the connection only.
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
    // In place of the library's own, which watches the process of a client and ends with it.
    { shutdownReceived: false, initialize: () => undefined, exit: () => void socket.end() },
    ProposedFeatures.all,
  );
}
