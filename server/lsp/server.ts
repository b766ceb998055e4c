// The list of what the server answers. Each handler is a few lines: parameters in, the layers below, result out.
import { TextDocumentSyncKind, type Connection, type InitializeResult } from 'vscode-languageserver/node';
import { CompletionSession } from '../completion/completionSession';
import type { Settle } from '../completion/suggest';
import type { ModelSource } from '../hub/modelSource';
import { Method, type ServerProcess } from '../protocol';
import { compare } from './compare';
import { failureLine } from './failureLine';
import { generateRequest } from './generateRequest';
import { History } from './history';
import { inlineCompletion } from './inlineCompletion';
import { ModelHost } from './modelHost';
import type { ModelPool } from './modelPool';
import { answerModelRequests } from './modelRequests';
import { openDocuments } from './openDocuments';
import { connectionOutbox } from './outbox';
import { RecordingDecoder } from './recordingDecoder';
import { requestHandler, withRequestSignal } from './requestSignal';
import { DEFAULT_SETTINGS, parseSettings } from './settings';

export interface ServerParts {
  readonly connection: Connection;
  /** Shared by all connections of the process. */
  readonly pool: ModelPool;
  readonly settle: Settle;
  /** Whether the machine does not run on a battery; never throws. */
  readonly pluggedIn: () => Promise<boolean>;
  /** Undefined where nobody chooses models. */
  readonly modelSource?: ModelSource;
}

export interface Served {
  /** Gives up what runs for this connection, and its models. For a shutdown, and a client that goes without one. */
  end(): Promise<void>;
}

export function startServer({ connection, pool, settle, pluggedIn, modelSource }: ServerParts): Served {
  const outbox = connectionOutbox(connection);
  const log = (line: string): void => {
    connection.console.info(line);
  };
  let settings = DEFAULT_SETTINGS;
  const host = new ModelHost(pool, outbox, log);
  const history = new History(outbox);
  const session = new CompletionSession({
    models: host,
    decoder: (model, kind) => {
      const mode = { kind, draftLength: settings.draftLength, repetitionGuard: true };
      return new RecordingDecoder(model, mode, history);
    },
    settle,
    pluggedIn,
    log,
    onPrefetchFailure: (error) => {
      log(failureLine('prefetch', error));
    },
  });
  const documents = openDocuments(session);
  const ending = new AbortController();
  const ended = ending.signal;
  const end = (): Promise<void> => {
    session.stopPrefetch();
    ending.abort('cancelled');
    return host.dispose();
  };

  connection.onInitialize((params): InitializeResult & ServerProcess => {
    settings = parseSettings(params.initializationOptions);
    return {
      serverInfo: { name: 'flashline' },
      serverProcessId: process.pid,
      capabilities: {
        textDocumentSync: TextDocumentSyncKind.Incremental,
        inlineCompletionProvider: true,
      },
    };
  });
  connection.onInitialized(() => {
    performance.mark('handshake');
    void host.configure(settings);
  });
  connection.onNotification(Method.settings, (given: unknown) => {
    settings = parseSettings(given);
    session.stopPrefetch();
    void host.configure(settings);
  });
  connection.languages.inlineCompletion.on((params, token) =>
    withRequestSignal(token, ended, (signal) =>
      inlineCompletion({ documents, session, log }, params, settings, signal),
    ),
  );
  connection.onRequest(
    Method.generate,
    requestHandler({ name: 'generate', ended, log }, (params, signal) => {
      session.stopPrefetch();
      return generateRequest({ connection, session, host, history }, params, settings, signal);
    }),
  );
  connection.onRequest(
    Method.compare,
    requestHandler({ name: 'compare', ended, log }, (_, signal) => {
      session.stopPrefetch();
      return compare(host, history, settings, signal);
    }),
  );
  connection.onRequest(Method.history, () => history.rows);
  if (modelSource)
    answerModelRequests({ connection, source: modelSource, settings: () => settings, ended, log });
  connection.onShutdown(end);

  documents.listen(connection);
  connection.listen();
  return { end };
}
