// Which of the open documents the server knows: none with secrets, huge or excluded, and none at all while Flashline is
// off, so that no prompt can quote them. What has become visible or hidden is opened or closed there, whatever the
// editor shows.
import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import type { FlashlineClient } from './client';
import { SCHEMES, type EditorGate } from '../ghostText/gate';
import { Method } from '../../server/protocol/messages';

export class ServerDocuments {
  /** A new server is sent all open documents, so each start decides again. */
  readonly #hidden = new Set<string>();
  /** Shown although Flashline is off, as the user has asked for something there. */
  #asked: vscode.TextDocument | undefined;

  constructor(
    private readonly gate: Pick<EditorGate, 'hidden' | 'off'>,
    private readonly client: Pick<FlashlineClient, 'isRunning' | 'notify'>,
  ) {}

  readonly middleware: Pick<Middleware, 'didOpen' | 'didChange' | 'didClose'> = {
    didOpen: async (document, next) => {
      const uri = document.uri.toString();
      if (this.#isHidden(document)) {
        this.#hidden.add(uri);
        // What it was before, such as a file in another language, may be remembered.
        return this.forgetClosed();
      }
      this.#hidden.delete(uri);
      await next(document);
    },
    didChange: async (event, next) => {
      const wasHidden = this.#hidden.has(event.document.uri.toString());
      // What a link leads to may have changed.
      if (this.#isHidden(event.document) !== wasHidden) this.update();
      else if (!wasHidden) await next(event);
    },
    didClose: async (document, next) => {
      if (!this.#hidden.delete(document.uri.toString())) await next(document);
    },
  };

  /** Opens and closes at the server what has become visible or hidden since. */
  update(): void {
    // A server that starts is sent all open documents.
    if (!this.client.isRunning) return;
    const documents = vscode.workspace.textDocuments.filter(({ uri }) => SCHEMES.includes(uri.scheme));
    let isAnyHidden = false;
    for (const document of documents) {
      const uri = document.uri.toString();
      const isHidden = this.#isHidden(document);
      if (isHidden === this.#hidden.has(uri)) continue;
      if (isHidden) {
        isAnyHidden = true;
        this.#hidden.add(uri);
        this.#close(document);
      } else {
        this.#hidden.delete(uri);
        this.#open(document);
      }
    }
    if (isAnyHidden) this.forgetClosed();
  }

  /** What the server remembers of other documents may be of one that it must not know any more. */
  forgetClosed(): void {
    this.client.notify((server) => server.sendNotification(Method.forgetClosed));
  }

  /** The server knows `document` until `work` has ended, even while Flashline is off. */
  async during<T>(document: vscode.TextDocument, work: () => Promise<T>): Promise<T> {
    this.#asked = document;
    this.update();
    try {
      return await work();
    } finally {
      this.#asked = undefined;
      this.update();
    }
  }

  /** Past the middleware, which goes by what the editor shows. */
  #open(document: vscode.TextDocument): void {
    this.client.notify((client) => {
      const params = client.code2ProtocolConverter.asOpenTextDocumentParams(document);
      return client.sendNotification('textDocument/didOpen', params);
    });
  }

  #close(document: vscode.TextDocument): void {
    this.client.notify((client) => {
      const params = client.code2ProtocolConverter.asCloseTextDocumentParams(document);
      return client.sendNotification('textDocument/didClose', params);
    });
  }

  #isHidden(document: vscode.TextDocument): boolean {
    if (this.gate.hidden(document) !== undefined) return true;
    return this.gate.off() !== undefined && document !== this.#asked;
  }
}
