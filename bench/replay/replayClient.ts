// A client of the language server: sends the messages of an editor and collects the statistics. Knows the protocol
// only, not whether the server is a separate process.
import { setTimeout as pause } from 'node:timers/promises';
import {
  createProtocolConnection,
  InlineCompletionTriggerKind,
  type CancellationToken,
  type InlineCompletionItem,
  type MessageReader,
  type MessageWriter,
  CancellationTokenSource,
  type Position,
  type Range,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { NextEditMethod } from '../../server/protocol/nextEditMessages';
import { UserError } from '../../server/rules/userError';
import {
  Method,
  type GenerateParams,
  type GenerateResult,
  type ClientSettings,
  type StatusParams,
} from '../../server/protocol/messages';
import type { LocalRow } from '../localRow';

/** Settings to send; the others are the server's defaults. */
export type GivenSettings = {
  readonly [Name in keyof ClientSettings]?: ClientSettings[Name] | undefined;
};

const IDLE_LIMIT_MS = 3000;
const IDLE_POLL_MS = 10;
/** Pause in typing before a request for the next edit, as in the extension. */
const NEXT_EDIT_MS = 500;

export class ReplayClient {
  readonly #connection;
  readonly #rows: LocalRow[] = [];
  readonly #ready: Promise<void>;
  #status: StatusParams | undefined;
  #requests = 0;
  #requestsEdits = false;
  #editTimer: NodeJS.Timeout | undefined;
  #editRequest = new CancellationTokenSource();
  #fail: (error: Error) => void = () => undefined;

  constructor(reader: MessageReader, writer: MessageWriter) {
    const connection = (this.#connection = createProtocolConnection(reader, writer));
    this.#ready = new Promise((resolve, reject) => {
      this.#fail = reject;
      connection.onNotification(Method.status, (status: StatusParams) => {
        this.#status = status;
        if (status.state === 'ready') resolve();
        if (status.state === 'error') reject(notLoaded(status.message));
      });
    });
    // Prevent an unhandled rejection: the promise can fail while no caller is waiting for it.
    this.#ready.catch(() => undefined);
    connection.onNotification(Method.stats, (row: LocalRow) => void this.#rows.push(row));
    connection.onNotification('window/logMessage', () => undefined);
    connection.listen();
  }

  /** Rows so far, oldest first. */
  get rows(): readonly LocalRow[] {
    return this.#rows;
  }

  get state(): StatusParams['state'] | undefined {
    return this.#status?.state;
  }

  /** Resolves when the model is loaded. Throws UserError if that fails. */
  async start(settings: GivenSettings): Promise<void> {
    await this.initialize(settings);
    await this.#ready;
  }

  /** Resolves when the server accepts requests, whether or not a model is loaded. */
  async initialize(settings: GivenSettings): Promise<void> {
    this.#requestsEdits = (settings.nextEdit ?? 'off') !== 'off';
    await this.#connection.sendRequest('initialize', {
      // A server process ends with the connection.
      processId: null,
      rootUri: null,
      capabilities: { textDocument: { inlineCompletion: {} } },
      initializationOptions: settings,
    });
    this.#send('initialized', {});
  }

  /** Sends new settings; missing ones return to their defaults. */
  configure(settings: GivenSettings): void {
    this.#send(Method.settings, settings);
  }

  open(document: TextDocument): void {
    const { uri, languageId, version } = document;
    this.#send('textDocument/didOpen', {
      textDocument: { uri, languageId, version, text: document.getText() },
    });
  }

  change(document: TextDocument, range: Range, text: string): void {
    const { uri, version } = document;
    this.#send('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: [{ range, text }],
    });
    if (this.#requestsEdits) this.#requestEdit(document, document.offsetAt(range.start) + text.length);
  }

  close({ uri }: TextDocument): void {
    this.#send('textDocument/didClose', { textDocument: { uri } });
  }

  /** Sends an automatic request, as after typing, which also lets the server send partial results. */
  async complete(
    { uri }: TextDocument,
    position: Position,
    token: CancellationToken,
  ): Promise<InlineCompletionItem[] | null> {
    const context = { triggerKind: InlineCompletionTriggerKind.Automatic };
    this.#requests += 1;
    const growingResultToken = `replay-${String(this.#requests)}`;
    const params = { textDocument: { uri }, position, context, growingResultToken };
    return await this.#connection.sendRequest('textDocument/inlineCompletion', params, token);
  }

  generate(params: GenerateParams, token: CancellationToken): Promise<GenerateResult> {
    return this.#connection.sendRequest(Method.generate, params, token);
  }

  /** Requests the next edit once typing pauses. The result does not matter here, only its cost. */
  #requestEdit(document: TextDocument, offset: number): void {
    clearTimeout(this.#editTimer);
    this.#editTimer = setTimeout(() => {
      this.#editRequest.cancel();
      this.#editRequest = new CancellationTokenSource();
      const { uri, version } = document;
      const params = { textDocument: { uri, version }, position: document.positionAt(offset) };
      const { token } = this.#editRequest;
      this.#connection.sendRequest(NextEditMethod.inlineEdit, params, token).catch(() => undefined);
    }, NEXT_EDIT_MS);
  }

  /** Waits until the server is idle, for a few seconds at most. */
  async idle(): Promise<void> {
    for (let waited = 0; waited < IDLE_LIMIT_MS && this.#status?.state !== 'ready'; waited += IDLE_POLL_MS)
      await pause(IDLE_POLL_MS);
  }

  async shutdown(): Promise<void> {
    clearTimeout(this.#editTimer);
    await this.#connection.sendRequest('shutdown');
  }

  exit(): void {
    this.#send('exit');
  }

  /** Handles the end of the server: fails pending promises. */
  lost(): void {
    this.#fail(new Error('The language server ended unexpectedly; see its messages above'));
    this.#connection.dispose();
  }

  /** Sends a notification. Ignores failures, as a dependent request then fails too. */
  #send(method: string, params?: object): void {
    this.#connection.sendNotification(method, params).catch(() => undefined);
  }
}

function notLoaded(reason = 'Correct --target or --drafter.'): UserError {
  return new UserError(`The server did not load the models. ${reason}`);
}
