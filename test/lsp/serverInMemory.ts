// The language server and a client of it in this process, over a pair of streams.
// The server reads messages, not a stream: at the end of its own stream it would end the process.
import { PassThrough } from 'node:stream';
import {
  createConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { settle } from '../../server/completion/settle';
import type { LoadModel } from '../../server/lsp/modelHost';
import { startServer, type ServerParts } from '../../server/lsp/server';
import { EditorClient } from './editorClient';

/** On a battery unless said otherwise, so that nothing is prefetched where a test counts what was asked. */
const ON_BATTERY = { settle, pluggedIn: () => Promise.resolve(false) };

export function serverInMemory(
  loadModel: LoadModel,
  parts: Partial<Pick<ServerParts, 'settle' | 'pluggedIn'>> = {},
): EditorClient {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const reader = new StreamMessageReader(toServer);
  const connection = createConnection(ProposedFeatures.all, reader, new StreamMessageWriter(toClient));
  startServer({ connection, loadModel, ...ON_BATTERY, ...parts });
  return new EditorClient(new StreamMessageReader(toClient), new StreamMessageWriter(toServer));
}
