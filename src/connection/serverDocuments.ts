// Hides open documents from the server, so that no prompt can quote them: secret, binary, huge or excluded ones, and
// all documents while Flashline is off. A document that becomes visible or hidden is opened or closed at the server,
// independently of the editor.
import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import type { FlashlineClient } from './client';
import { SCHEMES, type EditorGate } from '../gate/gate';
import { Method } from '../../server/protocol/messages';

export class ServerDocuments {
  /** URIs of hidden documents. The LSP library opens all documents at a new server, so each start decides again. */
  readonly #hidden = new Set<string>();
  /** Document of a running command, visible even while Flashline is off. */
  #inUse: vscode.TextDocument | undefined;

  constructor(
    private readonly gate: EditorGate,
    private readonly client: FlashlineClient,
  ) {}

  /** Part of the library's middleware that keeps hidden documents from the server. */
  readonly middleware = {
    didOpen: async (document, next) => {
      const uri = document.uri.toString();
      if (this.#isHidden(document)) {
        this.#hidden.add(uri);
        // The server can still have its text, for example from before a change of language.
        return this.forgetClosed();
      }
      this.#hidden.delete(uri);
      await next(document);
    },
    didChange: async (event, next) => {
      const wasHidden = this.#hidden.has(event.document.uri.toString());
      // The target of a symbolic link can have changed.
      if (this.#isHidden(event.document) !== wasHidden) this.update();
      else if (!wasHidden) await next(event);
    },
    didClose: async (document, next) => {
      if (!this.#hidden.delete(document.uri.toString())) await next(document);
    },
  } satisfies Middleware;

  /** Opens documents at the server that have become visible, and closes hidden ones. */
  update(): void {
    // A new server gets all open documents from the library.
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

  /** Makes the server drop text of closed documents, since it can come from one that is now hidden. */
  forgetClosed(): void {
    this.client.notify(Method.forgetClosed, undefined);
  }

  /** Keeps `document` visible to the server until `work` has ended, even while Flashline is off. */
  async keepVisible<T>(document: vscode.TextDocument, work: () => Promise<T>): Promise<T> {
    this.#inUse = document;
    this.update();
    try {
      return await work();
    } finally {
      this.#inUse = undefined;
      this.update();
    }
  }

  /** Opens a document at the server, bypassing the middleware, which follows the editor. */
  #open(document: vscode.TextDocument): void {
    const { languageId, version } = document;
    const textDocument = { uri: document.uri.toString(), languageId, version, text: document.getText() };
    this.client.notify('textDocument/didOpen', { textDocument });
  }

  #close({ uri }: vscode.TextDocument): void {
    this.client.notify('textDocument/didClose', { textDocument: { uri: uri.toString() } });
  }

  #isHidden(document: vscode.TextDocument): boolean {
    if (this.gate.whyHidden(document) !== undefined) return true;
    return this.gate.whyOff() !== undefined && document !== this.#inUse;
  }
}
