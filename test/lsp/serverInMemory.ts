// The language server and a client of it in this process, over a pair of streams.
import { servedHere } from '../../bench/replay/servedHere';
import { settle } from '../../server/completion/session/suggest';
import type { LoadModel } from '../../server/hosting/loadedModel';
import { ModelPool } from '../../server/hosting/modelPool';
import type { ServerParts } from '../../server/lsp/server';
import { EditorClient } from './editorClient';

/** On a battery unless said otherwise, so that nothing is prefetched where a test counts what was asked. */
const ON_BATTERY = { settle, pluggedIn: () => Promise.resolve(false) };

export function serverInMemory(
  models: LoadModel | ModelPool,
  parts: Partial<
    Pick<ServerParts, 'settle' | 'pluggedIn' | 'modelSource' | 'chatFacts' | 'remote' | 'tools'>
  > = {},
): EditorClient {
  const pool = models instanceof ModelPool ? models : new ModelPool({ load: models });
  const { reader, writer } = servedHere({ pool, ...ON_BATTERY, ...parts });
  return new EditorClient(reader, writer);
}
