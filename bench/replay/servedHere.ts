// The language server in this process, over a pair of streams, so that its engine can be watched. Times measured
// with it include the work of the client, which shares its thread.
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

/** The client's end of the connection to a new server. */
export function servedHere(parts: Omit<LanguageServerParts, 'connection'>): {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
} {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  // Given a message reader, not a stream: at the end of its own stream it would end the process.
  const reader = new StreamMessageReader(toServer);
  const connection = createConnection(ProposedFeatures.all, reader, new StreamMessageWriter(toClient));
  const served = LanguageServer.start({ connection, ...parts });
  reader.onClose(() => void served.end());
  return { reader: new StreamMessageReader(toClient), writer: new StreamMessageWriter(toServer) };
}
