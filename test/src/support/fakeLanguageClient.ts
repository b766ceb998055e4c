// Replaces VS Code's library for language servers in unit tests of src/ (test/build.mjs links it): a client whose
// server starts and stops when a test says so.
import assert from 'node:assert/strict';
import type { InlineCompletionContext, Position, TextDocument } from 'vscode';
import { Method } from '../../../server/protocol/messages';
import { settled } from '../../lsp/manualClock';
import { CancellationTokenSource } from './fakeVscode';

export const CloseAction = { DoNotRestart: 1, Restart: 2 };
export const ErrorAction = { Continue: 1 };
export const RevealOutputChannelOn = { Never: 4 };
export const TransportKind = { ipc: 1 };

export class ProgressType {}

/** Ends of a connection in a row after which the library gives up. */
const MAX_ENDS = 5;

interface Options {
  readonly documentSelector?: unknown;
  readonly outputChannel?: unknown;
  readonly revealOutputChannelOn?: unknown;
  readonly initializationOptions: () => unknown;
  readonly initializationFailedHandler?: () => unknown;
  readonly errorHandler: { readonly error?: () => unknown; readonly closed: () => unknown };
  readonly middleware?: {
    readonly provideInlineCompletionItems?: (...words: readonly unknown[]) => Promise<readonly object[]>;
  };
}

export class LanguageClient {
  /** All clients, in the order of their creation. */
  static readonly made: LanguageClient[] = [];
  /** Settings that the server received, at its start and later. */
  readonly sentSettings: unknown[] = [];
  /** All notifications and requests, after a round trip through JSON. */
  readonly sent: (readonly [method: string, params: unknown])[] = [];
  /** Error with which all notifications fail, if set. */
  failure: Error | undefined;
  /** Answer of the server to all requests. */
  answer: unknown = {};
  /** Answer of the server to its start. */
  initializeResult: object | undefined;
  /** Whether each error of the library is shown in a pop-up. */
  readonly popUps: unknown[] = [];
  /** Cancellation tokens of all requests. */
  readonly tokens: unknown[] = [];
  /** Listeners for partial results by their token. */
  readonly progress = new Map<string, (part: unknown) => void>();
  readonly #listeners = new Map<string, (params: unknown) => void>();
  #started = (): void => undefined;
  #failed: (error: Error) => void = () => undefined;

  constructor(
    readonly id: string,
    readonly name: string,
    readonly server: unknown,
    readonly options: Options,
  ) {
    LanguageClient.made.push(this);
  }

  /** Resolves with the newest client once its server has started; `meanwhile` runs before that. */
  static async started(begin: Promise<void>, meanwhile?: () => void): Promise<LanguageClient> {
    await settled();
    const last = LanguageClient.made.at(-1) ?? assert.fail();
    meanwhile?.();
    last.#started();
    await begin;
    return last;
  }

  /** Makes the start of the server fail. */
  failToStart(error: Error): void {
    this.#failed(error);
  }

  /** Reports an error of the library. */
  error(_message: string, _data?: unknown, showsPopUp: unknown = true): void {
    this.popUps.push(showsPopUp);
  }

  /** Converters of the library: LSP counts trigger kinds from 1, and JSON turns a range of VS Code into an array. */
  readonly protocol2CodeConverter = { asInlineCompletionItem: (item: object) => item };
  readonly code2ProtocolConverter = {
    asInlineCompletionParams: (
      { uri }: TextDocument,
      position: Position,
      context: InlineCompletionContext,
    ) => {
      const { range, text } = context.selectedCompletionInfo ?? {};
      const selected = range && { range: { start: range.start, end: range.end }, text };
      const triggerKind = context.triggerKind + 1;
      const textDocument = { uri: String(uri) };
      return { textDocument, position, context: { triggerKind, selectedCompletionInfo: selected } };
    },
  };

  readonly onNotification = (method: string, listener: (params: unknown) => void): void =>
    void this.#listeners.set(method, listener);

  /** Passes a notification of the server to the extension. */
  receive(method: string, params: unknown): void {
    this.#listeners.get(method)?.(params);
  }

  /** Sends the settings, and waits until a test calls `started`. */
  async start(): Promise<void> {
    this.sentSettings.push(this.options.initializationOptions());
    await new Promise<void>((resolve, reject) => {
      this.#started = resolve;
      this.#failed = reject;
    });
  }

  /** Stops the client; a test replaces this function to make it fail. */
  stop = (): Promise<void> => Promise.resolve();

  /** Requests ghost text, as VS Code does. */
  ask(document: unknown, position: unknown, context: object): Promise<readonly object[]> {
    const token = new CancellationTokenSource().token;
    const provide = this.options.middleware?.provideInlineCompletionItems;
    return provide?.(document, position, context, token) ?? assert.fail();
  }

  /** Reports that the connection has ended, as after a crash of the server. */
  close(): void {
    this.options.errorHandler.closed();
  }

  /** Makes a counter of crashes, as the library does. */
  createDefaultErrorHandler() {
    let ends = 0;
    const action = (): number => ((ends += 1) < MAX_ENDS ? CloseAction.Restart : CloseAction.DoNotRestart);
    return { closed: () => Promise.resolve({ action: action() }) };
  }

  onProgress(_: ProgressType, token: string, listener: (part: unknown) => void) {
    this.progress.set(token, listener);
    return { dispose: () => void this.progress.delete(token) };
  }

  sendNotification(method: string, params: unknown): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    if (method === Method.settings) this.sentSettings.push(params);
    this.#send(method, params);
    return Promise.resolve();
  }

  sendRequest(method: string, params: unknown, token: unknown): Promise<unknown> {
    this.tokens.push(token);
    this.#send(method, params);
    return Promise.resolve(this.answer);
  }

  #send(method: string, params: unknown): void {
    this.sent.push([method, params === undefined ? undefined : JSON.parse(JSON.stringify(params))]);
  }
}
