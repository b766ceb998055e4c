// The language server as a client sees it: what an editor sends, and the statistics that come back. Knows the
// protocol only, not whether the server is a process.
import { setTimeout as pause } from 'node:timers/promises';
import {
  createProtocolConnection,
  InlineCompletionTriggerKind,
  type CancellationToken,
  type InlineCompletionItem,
  type MessageReader,
  type MessageWriter,
  type Position,
  type Range,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { InputError } from '../../server/rules/inputError';
import {
  Method,
  type GenerateParams,
  type GenerateResult,
  type ClientSettings,
  type LocalRow,
  type StatusParams,
} from '../../server/protocol/messages';

/** The others are the server's defaults. */
export type GivenSettings = {
  readonly [Name in keyof ClientSettings]?: ClientSettings[Name] | undefined;
};

const IDLE_LIMIT_MS = 3000;
const IDLE_POLL_MS = 10;

export class ReplayClient {
  readonly #connection;
  readonly #rows: LocalRow[] = [];
  readonly #ready: Promise<void>;
  #status: StatusParams | undefined;
  #requests = 0;
  #fail: (error: Error) => void = () => undefined;

  constructor(reader: MessageReader, writer: MessageWriter) {
    const connection = (this.#connection = createProtocolConnection(reader, writer));
    this.#ready = new Promise((resolve, reject) => {
      this.#fail = reject;
      connection.onNotification(Method.status, (status: StatusParams) => {
        this.#status = status;
        if (status.state === 'ready') resolve();
        if (status.state === 'error') reject(notLoaded(status.message ?? 'no reason'));
      });
    });
    // Whoever waits for it hears of a failure; nobody may wait yet, or any more.
    this.#ready.catch(() => undefined);
    connection.onNotification(Method.stats, (row: LocalRow) => void this.#rows.push(row));
    connection.onNotification('window/logMessage', () => undefined);
    connection.listen();
  }

  /** All rows so far, oldest first. */
  get rows(): readonly LocalRow[] {
    return this.#rows;
  }

  get state(): StatusParams['state'] | undefined {
    return this.#status?.state;
  }

  /** Resolves when the model is loaded. Throws InputError when it cannot be. */
  async start(settings: GivenSettings): Promise<void> {
    await this.initialize(settings);
    await this.#ready;
  }

  /** Resolves when the server can be asked, whatever it has loaded by then. */
  async initialize(settings: GivenSettings): Promise<void> {
    await this.#connection.sendRequest('initialize', {
      // The end of the connection ends a server that is a process.
      processId: null,
      rootUri: null,
      capabilities: { textDocument: { inlineCompletion: {} } },
      initializationOptions: settings,
    });
    this.#send('initialized', {});
  }

  /** New settings; those that are not named are the defaults again. */
  configure(settings: GivenSettings): void {
    this.#send(Method.settings, settings);
  }

  open(document: TextDocument): void {
    const { uri, languageId, version } = document;
    this.#send('textDocument/didOpen', {
      textDocument: { uri, languageId, version, text: document.getText() },
    });
  }

  change({ uri, version }: TextDocument, range: Range, text: string): void {
    this.#send('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: [{ range, text }],
    });
  }

  close({ uri }: TextDocument): void {
    this.#send('textDocument/didClose', { textDocument: { uri } });
  }

  /** An automatic request, as typing makes it, which also lets the server show parts of its answer before the end. */
  async complete(
    { uri }: TextDocument,
    position: Position,
    token: CancellationToken,
  ): Promise<InlineCompletionItem[] | null> {
    const context = { triggerKind: InlineCompletionTriggerKind.Automatic };
    const growingResultToken = `replay-${String((this.#requests += 1))}`;
    const params = { textDocument: { uri }, position, context, growingResultToken };
    return await this.#connection.sendRequest('textDocument/inlineCompletion', params, token);
  }

  generate(params: GenerateParams, token: CancellationToken): Promise<GenerateResult> {
    return this.#connection.sendRequest(Method.generate, params, token);
  }

  /** Waits until the server is idle, for a few seconds at most. */
  async idle(): Promise<void> {
    for (let waited = 0; waited < IDLE_LIMIT_MS && this.#status?.state !== 'ready'; waited += IDLE_POLL_MS)
      await pause(IDLE_POLL_MS);
  }

  async shutdown(): Promise<void> {
    await this.#connection.sendRequest('shutdown');
  }

  exit(): void {
    this.#send('exit');
  }

  /** The server has ended: fails whatever waits for it. */
  lost(): void {
    this.#fail(new Error('Expected the language server to run, got its end; see its messages above'));
    this.#connection.dispose();
  }

  /** If sending fails, a request that depends on it fails too. */
  #send(method: string, params?: object): void {
    this.#connection.sendNotification(method, params).catch(() => undefined);
  }
}

function notLoaded(message: string): InputError {
  return new InputError({
    expected: 'the server to load its models',
    got: `"${message}"`,
    remedy: 'correct --target or --drafter',
  });
}
