// The language server and a client of it in this process, over a pair of streams.
import { servedHere } from '../../server/cli/replay/servedHere';
import type { LoadModel } from '../../server/lsp/modelHost';
import { EditorClient } from './editorClient';

export function serverInMemory(loadModel: LoadModel): EditorClient {
  const { reader, writer } = servedHere(loadModel);
  return new EditorClient(reader, writer);
}
