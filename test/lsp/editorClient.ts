// An editor at the other end of the connection: sends the messages of an LSP client, and records those of the server.
// It depends only on the protocol, so that it works with a server in memory and one in a process.
import { setTimeout as pause } from 'node:timers/promises';
import {
  createProtocolConnection,
  InlineCompletionTriggerKind,
  ProgressType,
  type CancellationToken,
  type ClientCapabilities,
  type InitializeResult,
  type InlineCompletionItem,
  type MessageReader,
  type MessageWriter,
  type Position,
  type ProtocolConnection,
  type Range,
  type TextDocumentContentChangeEvent,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import {
  Method,
  type CompareResult,
  type DefinitionsParams,
  type GenerateDelta,
  type GenerateParams,
  type GenerateResult,
  type ServerSettings,
  type StatusParams,
} from '../../server/protocol/messages';
import type { LocalRow } from '../../bench/localRow';
import { markedDocument } from '../support/cursor';

/** A position in an open document, also as an offset in its text. */
export interface Place {
  readonly uri: string;
  readonly position: Position;
  readonly offset: number;
}

interface Compared {
  readonly plain: LocalRow;
  readonly speculative: LocalRow;
}

export interface CompleteOptions {
  /** Whether the user made the request; false by default. */
  readonly invoked?: boolean;
  readonly selected?: { readonly range: Range; readonly text: string };
  readonly token?: CancellationToken;
  /** Indentation of the editor. */
  readonly formatting?: { readonly tabSize: number; readonly insertSpaces: boolean };
}

/** Time limit of events that take seconds on an idle machine. */
const LIMIT_MS = 300_000;

export class EditorClient {
  readonly statuses: StatusParams[] = [];
  readonly rows: LocalRow[] = [];
  readonly logs: string[] = [];
  #generateCount = 0;

  readonly connection: ProtocolConnection;
  /** Writer for messages that no client would send. */
  readonly writer: MessageWriter;

  constructor(reader: MessageReader, writer: MessageWriter) {
    const connection = createProtocolConnection(reader, writer);
    this.connection = connection;
    this.writer = writer;
    connection.onNotification(Method.status, (status: StatusParams) => void this.statuses.push(status));
    connection.onNotification(Method.stats, (row: LocalRow) => void this.rows.push(row));
    connection.onNotification('window/logMessage', ({ message }: { message: string }) => {
      this.logs.push(message);
    });
    connection.listen();
  }

  get status(): StatusParams | undefined {
    return this.statuses.at(-1);
  }

  async initialize(
    settings?: unknown,
    processId: number | null = null,
    capabilities: ClientCapabilities = {},
  ): Promise<InitializeResult> {
    const result = await this.connection.sendRequest<InitializeResult>('initialize', {
      processId,
      rootUri: null,
      capabilities: { textDocument: { inlineCompletion: {} }, ...capabilities },
      ...(settings !== undefined && { initializationOptions: settings }),
    });
    await this.connection.sendNotification('initialized', {});
    return result;
  }

  /**
   * Initializes and waits until the model is loaded. Requests do not wait for a pause in typing unless the settings say
   * so.
   */
  async start(settings: Partial<ServerSettings> = {}): Promise<void> {
    await this.initialize({ debounceMs: 0, ...settings });
    await this.until(() => this.status?.state === 'ready');
  }

  settings(settings: unknown): Promise<void> {
    return this.connection.sendNotification(Method.settings, settings);
  }

  /** Sends the definitions of imported names, as the editor finds them. */
  define(params: DefinitionsParams): Promise<void> {
    return this.connection.sendNotification(Method.definitions, params);
  }

  /** Reports that the cursor rests at a place. */
  rest({ uri, position }: Place): Promise<void> {
    return this.connection.sendNotification(Method.cursor, { uri, position });
  }

  /** Opens a document by its URI or name; ║ marks the cursor. */
  async open(name: string, marked: string, languageId = 'typescript'): Promise<Place> {
    const { text, offset } = markedDocument(marked.includes('║') ? marked : `${marked}║`);
    const uri = name.includes(':') ? name : `file:///project/${name}`;
    const textDocument = { uri, languageId, version: 1, text };
    await this.connection.sendNotification('textDocument/didOpen', { textDocument });
    return { uri, offset, position: TextDocument.create(uri, languageId, 1, text).positionAt(offset) };
  }

  change(
    uri: string,
    version: number,
    contentChanges: readonly TextDocumentContentChangeEvent[],
  ): Promise<void> {
    const textDocument = { uri, version };
    return this.connection.sendNotification('textDocument/didChange', { textDocument, contentChanges });
  }

  /** Types at a place within a line, and returns the place after the text. */
  async type(place: Place, text: string, version: number): Promise<Place> {
    await this.change(place.uri, version, [{ range: { start: place.position, end: place.position }, text }]);
    const { line, character } = place.position;
    return {
      uri: place.uri,
      offset: place.offset + text.length,
      position: { line, character: character + text.length },
    };
  }

  close(uri: string): Promise<void> {
    return this.connection.sendNotification('textDocument/didClose', { textDocument: { uri } });
  }

  complete({ uri, position }: Place, options: CompleteOptions = {}): Promise<InlineCompletionItem[] | null> {
    const { invoked, selected, token, formatting } = options;
    const triggerKind = invoked ? InlineCompletionTriggerKind.Invoked : InlineCompletionTriggerKind.Automatic;
    const context = { triggerKind, ...(selected && { selectedCompletionInfo: selected }) };
    const params = { textDocument: { uri }, position, context, ...(formatting && { formatting }) };
    return this.#request('textDocument/inlineCompletion', params, token);
  }

  /** Returns the text of the first item. */
  async text(place: Place, options: CompleteOptions = {}): Promise<string | undefined> {
    const [item] = (await this.complete(place, options)) ?? [];
    return item && insertedText(item);
  }

  async generate(
    params: Omit<GenerateParams, 'partialResultToken'>,
    options: { readonly token?: CancellationToken; readonly onDelta?: (text: string) => void } = {},
  ): Promise<GenerateResult> {
    const { token, onDelta } = options;
    const partialResultToken = `generate-${String(++this.#generateCount)}`;
    const deltas = new ProgressType<GenerateDelta>();
    const listener = this.connection.onProgress(deltas, partialResultToken, ({ text }) => onDelta?.(text));
    try {
      return await this.#request(Method.generate, { ...params, partialResultToken }, token);
    } finally {
      listener.dispose();
    }
  }

  compare(token?: CancellationToken): Promise<CompareResult & Compared> {
    return this.#request(Method.compare, {}, token);
  }

  history(): Promise<LocalRow[]> {
    return this.connection.sendRequest(Method.history);
  }

  /** Omits an undefined token, which the library would send as a parameter. */
  #request<T>(method: string, params: object, token: CancellationToken | undefined): Promise<T> {
    return token === undefined
      ? this.connection.sendRequest(method, params)
      : this.connection.sendRequest(method, params, token);
  }

  /** Waits until everything that a message causes has begun: the server has answered a few more messages by then. */
  async quiet(): Promise<void> {
    for (let i = 0; i < 5; i++) await this.history();
  }

  /** Requests suggestions until there is one. */
  async answered(place: Place): Promise<string> {
    for (;;) {
      const text = await this.text(place);
      if (text !== undefined) return text;
      await pause(50);
    }
  }

  async until(condition: () => boolean): Promise<void> {
    const deadline = Date.now() + LIMIT_MS;
    while (!condition()) {
      if (Date.now() > deadline)
        throw new Error(`Timed out waiting for ${String(condition)}. The log: ${this.logs.join('; ')}`);
      await pause(2);
    }
  }
}

export function insertedText({ insertText }: InlineCompletionItem): string {
  return typeof insertText === 'string' ? insertText : insertText.value;
}
