// Simulates the parts of an editor that completions need: changing documents, ghost text that stays while it is typed,
// a request after each change, and the cancellation of requests that a change has made obsolete.
import {
  CancellationTokenSource,
  LSPErrorCodes,
  ResponseError,
  type InlineCompletionItem,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { LocalRow } from '../localRow';
import type { Change } from './progress';
import type { ReplayClient } from './replayClient';

/** A textDocument/inlineCompletion request and its outcome. */
export interface EditorRequest {
  /**
   * Preceding change. typedAlong: typed the ghost text but not its end; accepted: accepted all, a line or a word of it;
   * edited: any other.
   */
  readonly cause: 'typedAlong' | 'accepted' | 'edited';
  /** Number of times that the cursor has gone to another document. */
  readonly visit: number;
  /** Time from the request to its response. */
  readonly ms: number;
  /** Time from the cancellation to the response; undefined if not cancelled. */
  readonly cancelMs: number | undefined;
  /** Text of the first item. */
  readonly text: string | undefined;
  /** For a suggestion that was not visible before: true if the user would accept any part of it. */
  readonly isRight: boolean | undefined;
  /** Decodes for this request. */
  readonly rows: readonly LocalRow[];
}

interface Pending {
  readonly cause: EditorRequest['cause'];
  readonly visit: number;
  readonly fileName: string;
  readonly sentAt: number;
  readonly source: CancellationTokenSource;
  cancelledAt: number | undefined;
}

export class Editor {
  readonly requests: EditorRequest[] = [];
  #ghost = '';
  #document: TextDocument | undefined;
  #cursor = 0;
  #visit = 0;
  #pending: Pending | undefined;
  #answer = Promise.resolve();
  readonly #generation = new CancellationTokenSource();
  readonly #running = new Set<Promise<void>>();
  readonly #claimed = new Set<LocalRow>();

  /** Creates an editor. Calls `wouldAccept` with each new ghost text. */
  constructor(
    private readonly client: ReplayClient,
    private readonly wouldAccept: (ghost: string) => boolean,
  ) {}

  /** Text shown after the cursor; empty without a suggestion. */
  get ghost(): string {
    return this.#ghost;
  }

  /** Moves the cursor to an offset. Cancels the pending request, which is obsolete, and sends nothing else. */
  show(document: TextDocument, cursor: number): void {
    this.#cancel();
    this.#ghost = '';
    if (document !== this.#document) this.#visit += 1;
    this.#document = document;
    this.#cursor = cursor;
  }

  /** Changes the text before the cursor and requests a suggestion. */
  change({ removed, inserted }: Change, by: 'typing' | 'accepting'): void {
    const document = this.#shown();
    const from = this.#cursor - removed;
    const range = { start: document.positionAt(from), end: document.positionAt(this.#cursor) };
    TextDocument.update(document, [{ range, text: inserted }], document.version + 1);
    this.#cursor = from + inserted.length;
    const isAlong = removed === 0 && inserted !== '' && this.#ghost.startsWith(inserted);
    this.#ghost = isAlong ? this.#ghost.slice(inserted.length) : '';
    const cause = isAlong && by === 'accepting' ? 'accepted' : this.#ghost !== '' ? 'typedAlong' : 'edited';
    this.client.change(document, range, inserted);
    this.#cancel();
    this.#requestSuggestion(document, cause);
  }

  /** Requests generated code at the cursor and continues; its text is dropped. */
  generate(instruction: string): void {
    const { uri } = this.#shown();
    const request = { uri, instruction, start: this.#cursor, end: this.#cursor };
    const generated = this.client.generate(request, this.#generation.token);
    void this.#keep(generated.then(() => undefined, unlessCancelled));
  }

  /** Waits for the response to the newest request. */
  async answered(): Promise<void> {
    await this.#answer;
  }

  /** Waits for all responses; generated code is cancelled. */
  async settled(): Promise<void> {
    this.#generation.cancel();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #shown(): TextDocument {
    if (this.#document === undefined) throw new Error('No document is shown; call show() first');
    return this.#document;
  }

  #cancel(): void {
    if (this.#pending === undefined) return;
    this.#pending.cancelledAt = performance.now();
    this.#pending.source.cancel();
    this.#pending = undefined;
  }

  #requestSuggestion(document: TextDocument, cause: EditorRequest['cause']): void {
    const fileName = decodeURIComponent(document.uri.slice(document.uri.lastIndexOf('/') + 1));
    const source = new CancellationTokenSource();
    const position = document.positionAt(this.#cursor);
    const sentAt = performance.now();
    const pending: Pending = {
      cause,
      visit: this.#visit,
      fileName,
      sentAt,
      source,
      cancelledAt: undefined,
    };
    this.#pending = pending;
    const items = this.client.complete(document, position, source.token).catch(unlessCancelled);
    this.#answer = this.#keep(items.then((found) => this.#take(pending, found?.[0])));
  }

  #take(pending: Pending, item: InlineCompletionItem | undefined): void {
    const now = performance.now();
    const { cause, visit, sentAt, cancelledAt } = pending;
    const text = item && (typeof item.insertText === 'string' ? item.insertText : item.insertText.value);
    const cancelMs = cancelledAt === undefined ? undefined : now - cancelledAt;
    const rows = this.#claim(pending);
    const isNew = this.#pending === pending && text !== undefined && text !== this.#ghost;
    const isRight = isNew ? this.wouldAccept(text) : undefined;
    this.requests.push({ cause, visit, ms: now - sentAt, cancelMs, text, isRight, rows });
    if (this.#pending !== pending) return;
    this.#pending = undefined;
    this.#ghost = text ?? '';
  }

  /** Returns the rows that no earlier response has claimed, since statistics arrive just before their response. */
  #claim({ fileName }: Pending): LocalRow[] {
    const rows = this.client.rows.filter(
      (row) => row.kind === 'inline' && row.file === fileName && !this.#claimed.has(row),
    );
    for (const row of rows) this.#claimed.add(row);
    return rows;
  }

  /** Keeps a promise until it has ended. A failure is thrown at the next call that waits. */
  #keep(work: Promise<void>): Promise<void> {
    this.#running.add(work);
    work.then(
      () => this.#running.delete(work),
      () => undefined,
    );
    return work;
  }
}

/** Ignores the error with which a server can answer a cancelled request. */
function unlessCancelled(error: unknown): undefined {
  const codes: readonly number[] = [
    LSPErrorCodes.RequestCancelled,
    LSPErrorCodes.ServerCancelled,
    LSPErrorCodes.ContentModified,
  ];
  if (error instanceof ResponseError && codes.includes(error.code)) return undefined;
  throw error;
}
