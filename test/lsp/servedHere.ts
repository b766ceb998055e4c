// Runs the language server in this process over a pair of streams, so that its engine can be observed. Measured times
// include the work of the client, which shares its thread.
import { PassThrough } from 'node:stream';
import {
  createConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageReader,
  type MessageWriter,
} from 'vscode-languageserver/node';
import { LanguageServer, type LanguageServerParts } from '../../server/lsp/languageServer';

/** Starts a server and returns the client's end of the connection. */
export function servedHere(parts: Omit<LanguageServerParts, 'connection'>): {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
} {
  const toServer = new PassThrough();
  const toClient = new PassThrough();
  // Pass a message reader instead of a stream, at whose end createConnection would end the process.
  const reader = new StreamMessageReader(toServer);
  const connection = createConnection(ProposedFeatures.all, reader, new StreamMessageWriter(toClient));
  const served = LanguageServer.start({ connection, ...parts });
  reader.onClose(() => void served.end());
  return { reader: new StreamMessageReader(toClient), writer: new StreamMessageWriter(toServer) };
}
