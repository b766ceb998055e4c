// The language server and a client of it in this process, over a pair of streams.
// The server reads messages, not a stream: at the end of its own stream it would end the process.
import { PassThrough } from 'node:stream';
import {
  createConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import type { LoadModel } from '../../server/lsp/modelHost';
import { startServer } from '../../server/lsp/server';
import { EditorClient } from './editorClient';

export function serverInMemory(loadModel: LoadModel): EditorClient {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const reader = new StreamMessageReader(toServer);
  const connection = createConnection(ProposedFeatures.all, reader, new StreamMessageWriter(toClient));
  startServer({ connection, loadModel });
  return new EditorClient(new StreamMessageReader(toClient), new StreamMessageWriter(toServer));
}
