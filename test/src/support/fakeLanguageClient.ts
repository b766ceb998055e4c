// Replaces VS Code's library for language servers in unit tests of src/ (test/build.mjs links it): a client whose
// server starts and stops when a test says so.
import assert from 'node:assert/strict';
import type { InlineCompletionContext, Position, TextDocument } from 'vscode';
import { Method } from '../../../server/protocol/messages';
import { settled } from '../../lsp/manualClock';

export const CloseAction = { DoNotRestart: 1, Restart: 2 };
export const ErrorAction = { Continue: 1 };
export const RevealOutputChannelOn = { Never: 4 };
export const TransportKind = { ipc: 1 };

export class ProgressType {}

interface Options {
  readonly initializationOptions: () => unknown;
}

export class LanguageClient {
  /** All clients, in the order of their creation. */
  static readonly made: LanguageClient[] = [];
  /** Settings that the server received, at its start and later. */
  readonly sentSettings: unknown[] = [];
  /** All notifications and requests, after a round trip through JSON. */
  readonly sent: (readonly [method: string, params: unknown])[] = [];
  /** Answer of the server to all requests. */
  answer: unknown = {};
  readonly #listeners = new Map<string, (params: unknown) => void>();
  #started = (): void => undefined;

  constructor(
    readonly id: string,
    readonly name: string,
    readonly server: unknown,
    private readonly options: Options,
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
    await new Promise<void>((resolve) => (this.#started = resolve));
  }

  async stop(): Promise<void> {
    await Promise.resolve();
  }

  readonly onProgress = () => ({ dispose: () => undefined });

  sendNotification(method: string, params: unknown): Promise<void> {
    if (method === Method.settings) this.sentSettings.push(params);
    this.#send(method, params);
    return Promise.resolve();
  }

  sendRequest(method: string, params: unknown): Promise<unknown> {
    this.#send(method, params);
    return Promise.resolve(this.answer);
  }

  #send(method: string, params: unknown): void {
    this.sent.push([method, JSON.parse(JSON.stringify(params))]);
  }
}
