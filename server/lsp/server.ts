// The messages that the server handles. Each handler is a few lines that pass parameters to the layers below.
import {
  FileChangeType,
  TextDocumentSyncKind,
  type Connection,
  type InitializeResult,
} from 'vscode-languageserver/node';
import { CompletionSession } from '../completion/session/completionSession';
import type { Settle } from '../completion/session/suggest';
import type { ModelSource } from '../hub/catalogue';
import {
  Method,
  type ClientSettings,
  type ServerProcess,
  type ServingParams,
  type StatusParams,
} from '../protocol/messages';
import { isEnabled } from '../rules/serverSettings';
import { answerChats, type ChatFacts } from './chatRequests';
import { generateRequest } from './generateRequest';
import { compare } from './compare';
import { cursorPlace, openDocuments, parseDefinitions } from './openDocuments';
import { History } from '../hosting/history';
import { inlineCompletion } from './inlineCompletion';
import type { UsableModel } from '../hosting/loadedModel';
import type { ToolServing } from '../hosting/localModel';
import { ModelLease } from '../hosting/modelLease';
import type { ModelPool } from '../hosting/modelPool';
import { answerModelRequests } from './modelRequests';
import { RecordingDecoder } from '../hosting/recordingDecoder';
import { WrongMessage } from './messageSchemas';
import { requestAnswers, requestSignal } from './requestSignal';
import { DEFAULT_SETTINGS, parseSettings } from '../hosting/settings';
import { visibleText } from '../rules/inputError';

export interface ServerParts {
  readonly connection: Connection;
  /** Shared by all connections of the process. */
  readonly pool: ModelPool;
  readonly settle: Settle;
  /** Whether the machine is plugged in; never throws. */
  readonly pluggedIn: () => Promise<boolean>;
  /** Undefined where models cannot be chosen. */
  readonly modelSource?: ModelSource;
  /** What a downloaded model can do in a chat; undefined where none are held. */
  readonly chatFacts?: (directory: string) => Promise<ChatFacts | undefined>;
  /** Of the command line; the client's own settings of a remote engine are then ignored. */
  readonly remote?: Pick<ClientSettings, 'remote' | 'remoteKey'> & Partial<Pick<ClientSettings, 'drafter'>>;
  /** Shared by all connections of the process; undefined where there is none. */
  readonly tools?: ToolServing;
}

export interface Served {
  /** Cancels what is running for this connection. */
  cancel(): void;
  /** Cancels and gives back the models. For a shutdown, or a client that leaves without one. */
  end(): Promise<void>;
}

export function startServer(parts: ServerParts): Served {
  const { connection, pool, settle, pluggedIn, modelSource, chatFacts, tools } = parts;
  // Sending fails, some of it at once, when the client has gone away; there is nobody left to tell. What sends may be
  // at work for another client.
  const send = async (work: () => unknown): Promise<void> => {
    try {
      await work();
    } catch {
      // See above.
    }
  };
  const tell = (method: string, params: object): void => {
    void send(() => connection.sendNotification(method, params));
  };
  const log = (line: string): void => {
    void send(() => {
      connection.console.info(visibleText(line));
    });
  };
  let status: StatusParams = { state: 'starting' };
  let isOnPause = false;
  let wrongMessages = 0;
  const tellStatus = (next: StatusParams): void => {
    const { target, drafter } = settings;
    status = next;
    tell(Method.status, {
      ...next,
      chosen: { target, drafter },
      ...(isOnPause && { paused: 'battery' }),
      ...(wrongMessages > 0 && { wrongMessages }),
    });
  };
  const onPause = (now: boolean): void => {
    if (now === isOnPause) return;
    isOnPause = now;
    tellStatus(status);
  };
  const onWrongMessage = (method: string, { message }: WrongMessage): void => {
    wrongMessages += 1;
    void send(() => {
      connection.console.error(visibleText(`${method.replace(/.*\//, '')} refused: ${message}`));
    });
    tellStatus(status);
  };
  /** For notifications, which have no answer. */
  const told = (method: string, work: (given: unknown) => void): void => {
    connection.onNotification(method, (given: unknown) => {
      try {
        work(given);
      } catch (error) {
        if (!(error instanceof WrongMessage)) throw error;
        onWrongMessage(method, error);
      }
    });
  };
  const host = new ModelLease(pool, tellStatus, log);
  const history = new History((row) => {
    tell(Method.stats, row);
  });
  let settings = DEFAULT_SETTINGS;
  const received = (given: unknown): ClientSettings => ({ ...parseSettings(given), ...parts.remote });
  const session = new CompletionSession({
    models: host,
    decoder: (model: UsableModel, kind) => {
      const mode = { kind, draftLength: settings.draftLength, repetitionGuard: true };
      return new RecordingDecoder(model, mode, history);
    },
    settle,
    pluggedIn,
    onPause,
    log,
  });
  const documents = openDocuments(session);
  const ending = new AbortController();
  const ended = ending.signal;
  const cancel = (): void => {
    session.end();
    ending.abort('cancelled');
  };
  const end = async (): Promise<void> => {
    cancel();
    endServing?.();
    await Promise.all([host.dispose(), chats?.dispose()]);
  };

  connection.onInitialize((params): InitializeResult & ServerProcess => {
    settings = received(params.initializationOptions);
    return {
      serverInfo: { name: 'flashline' },
      serverProcessId: process.pid,
      capabilities: {
        textDocumentSync: TextDocumentSyncKind.Incremental,
        inlineCompletionProvider: true,
        workspace: { fileOperations: { didDelete: { filters: [{ pattern: { glob: '**/*' } }] } } },
      },
    };
  });
  connection.onInitialized(() => {
    performance.mark('handshake');
    void host.configure(settings);
    if (tools?.address !== undefined) tell(Method.serving, serving());
  });
  connection.onNotification(Method.settings, (given: unknown) => {
    settings = received(given);
    session.configured(settings);
    void host.configure(settings);
    chats?.configured(settings);
    tools?.configure(connection, settings);
  });
  told(Method.definitions, (given) => {
    const { uri, ...needed } = parseDefinitions(given);
    session.define(uri, needed);
  });
  told(Method.cursor, (given) => {
    const place = cursorPlace(documents, given);
    if (place && isEnabled(settings.enable, place.languageId)) session.rested({ ...place, settings });
  });
  connection.workspace.onDidDeleteFiles(({ files }) => {
    for (const { uri } of files) session.deleted(uri);
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    for (const { uri, type } of changes) if (type === FileChangeType.Deleted) session.deleted(uri);
  });
  connection.onNotification(Method.forgetClosed, () => {
    session.forgetClosed();
  });
  connection.languages.inlineCompletion.on((params, token) =>
    inlineCompletion(
      { connection, documents, session, log, onWrongMessage },
      params,
      settings,
      requestSignal(token, ended),
    ),
  );
  const answer = requestAnswers(connection, ended, log, onWrongMessage);
  answer(Method.generate, (params, signal) => {
    session.stopPrefetch();
    return generateRequest({ connection, session, host, history }, params, settings, signal);
  });
  answer(Method.compare, (_, signal) => {
    session.stopPrefetch();
    return host.use((model) => host.busy(() => compare(model, history, settings, signal)));
  });
  connection.onRequest(Method.history, () => history.rows);
  if (modelSource)
    answerModelRequests({ connection, source: modelSource, settings: () => settings, answer, log });
  const chats =
    modelSource &&
    chatFacts &&
    answerChats({
      ...{ connection, pool, host, history, source: modelSource, chatFacts, answer, log },
      settings: () => settings,
      begin: () => session.stopPrefetch(),
    });
  const serving = (): ServingParams => ({ address: tools?.address ?? null });
  answer(Method.startServing, async () => {
    await tools?.start(connection, settings, log);
    return serving();
  });
  answer(Method.stopServing, async () => {
    await tools?.stop();
    return serving();
  });
  const endServing = tools?.onChange(() => {
    tell(Method.serving, serving());
  });
  connection.onShutdown(end);

  documents.listen(connection);
  connection.listen();
  return { cancel, end };
}
