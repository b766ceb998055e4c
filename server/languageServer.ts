// Builds the language server: the models of the process, and for each connection its handlers. The addon is loaded
// with the first model, so that the server starts without it and can say what is wrong.
import type { Connection } from 'vscode-languageserver/node';
import { settle } from './completion/suggest';
import { ModelPool } from './lsp/modelPool';
import { startServer, type Served } from './lsp/server';
import { memoryPressure } from './memoryPressure';
import { modelSource } from './modelSource';
import { pairIdentity, pairLoader } from './pairLoader';
import { powerSource } from './powerSource';

/** One for each process: what several connections name alike is in memory once. */
export function modelPool(): ModelPool {
  const load = pairLoader(() => import('./engine/engine'));
  return new ModelPool({ load, identify: pairIdentity, memoryPressure: memoryPressure() });
}

/** Listens until the client shuts down; who owns the stream calls `end` when it closes without that. */
export function languageServer(connection: Connection, pool = modelPool()): Served {
  return startServer({ connection, pool, settle, pluggedIn: powerSource(), modelSource: modelSource() });
}
