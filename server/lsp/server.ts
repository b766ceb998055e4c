// The list of what the server answers. Each handler is a few lines: parameters in, the layers below, result out.
import { TextDocumentSyncKind, type Connection, type InitializeResult } from 'vscode-languageserver/node';
import type { Settle } from '../completion/settle';
import type { ModelSource } from '../hub/modelSource';
import { Method, type ServerProcess } from '../protocol';
import { compare } from './compare';
import { generate } from './generate';
import { History } from './history';
import { InlineCompletions } from './inlineCompletion';
import { ModelHost, type LoadModel } from './modelHost';
import { answerModelRequests } from './modelRequests';
import { openDocuments } from './openDocuments';
import { connectionOutbox } from './outbox';
import { requestHandler, withRequestSignal } from './requestSignal';
import { DEFAULT_SETTINGS, parseSettings } from './settings';

export interface ServerParts {
  readonly connection: Connection;
  readonly loadModel: LoadModel;
  readonly settle: Settle;
  /** Whether the machine does not run on a battery; never throws. */
  readonly pluggedIn: () => Promise<boolean>;
  /** Undefined where nobody chooses models. */
  readonly models?: ModelSource;
}

export interface ServedClient {
  /** Lets go of what the client used. */
  close(): Promise<void>;
}

export function startServer({ connection, loadModel, settle, pluggedIn, models }: ServerParts): ServedClient {
  const outbox = connectionOutbox(connection);
  const log = (line: string): void => {
    connection.console.info(line);
  };
  const documents = openDocuments((document, offset) => {
    inline.edited(document, offset);
  });
  const host = new ModelHost(loadModel, outbox, log);
  const history = new History(outbox);
  const inline = new InlineCompletions({ documents, host, history, settle, pluggedIn, log });
  let settings = DEFAULT_SETTINGS;

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
    void host.configure(settings);
  });
  connection.onNotification(Method.settings, (given: unknown) => {
    settings = parseSettings(given);
    inline.stopPrefetch();
    void host.configure(settings);
  });
  connection.languages.inlineCompletion.on((params, token) =>
    withRequestSignal(token, (signal) => inline.complete(params, settings, signal)),
  );
  connection.onRequest(
    Method.generate,
    requestHandler({ name: 'generate', log }, (params, signal) => {
      inline.stopPrefetch();
      return generate({ connection, documents, host, history }, params, settings, signal);
    }),
  );
  connection.onRequest(
    Method.compare,
    requestHandler({ name: 'compare', log }, (_, signal) => {
      inline.stopPrefetch();
      return compare(host, history, settings, signal);
    }),
  );
  connection.onRequest(Method.history, () => history.rows);
  if (models) answerModelRequests({ connection, source: models, settings: () => settings, log });
  const close = (): Promise<void> => {
    inline.stopPrefetch();
    return host.dispose();
  };
  connection.onShutdown(close);

  documents.onDidOpen(({ document }) => {
    inline.opened(document);
  });
  documents.onDidChangeContent(({ document }) => {
    inline.changed(document);
  });
  documents.onDidClose(({ document }) => {
    inline.closed(document);
  });
  documents.listen(connection);
  connection.listen();
  return { close };
}
