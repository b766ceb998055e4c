// Composition root of the server for editors: builds the parts shared by all connections of a process, and a language
// server for each connection.
import type { Connection } from 'vscode-languageserver/node';
import { settle } from '../completion/session/settle';
import { ModelPool } from '../hosting/modelPool';
import { measuredSpeed } from '../hosting/profileStore';
import { EditorHttpServer } from '../http/editorHttpServer';
import type { ModelSource } from '../hub/catalogue';
import { LanguageServer, type RemoteOverride } from '../lsp/languageServer';
import { ensureHomeFolder, modelCacheFolder } from '../machine/folders';
import { memoryPressure } from '../machine/memoryPressure';
import { PowerSource } from '../machine/powerSource';
import { ChatFactsReader } from './chatFactsReader';
import { PairLoader } from './pairLoader';

/**
 * Delay after which the complete words of an unfinished first line are shown. A user who pauses to look is assumed to
 * wait about 800 ms.
 */
const LATE_MS = 600;

export class Composition {
  readonly httpServer: EditorHttpServer;
  readonly #pool = createModelPool();
  readonly #chatFacts = new ChatFactsReader();
  readonly #power = new PowerSource();

  constructor() {
    this.httpServer = new EditorHttpServer(this.#pool);
  }

  /** Serves a connection until the client shuts down. If it closes without a shutdown, the caller calls `end`. */
  serve(connection: Connection, remote?: RemoteOverride): LanguageServer {
    ensureHomeFolder();
    return LanguageServer.start({
      connection,
      pool: this.#pool,
      settle,
      lateMs: LATE_MS,
      pluggedIn: () => this.#power.isPluggedIn(),
      modelSource: modelSource(),
      chatFacts: (directory) => this.#chatFacts.read(directory),
      httpServing: this.httpServer,
      ...(remote && { remote }),
    });
  }
}

/** Creates the pool of a process, which all its connections share. */
export function createModelPool(): ModelPool {
  return new ModelPool(new PairLoader(), memoryPressure);
}

function modelSource(): ModelSource {
  return {
    cache: modelCacheFolder(undefined),
    env: process.env,
    // Imported on demand, as it loads the native addon: the server starts without the addon, and can report its
    // problems.
    loadable: async () => (await import('../models/loadable')).loadable,
    measured: measuredSpeed,
  };
}
