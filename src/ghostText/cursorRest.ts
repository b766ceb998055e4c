// Tells the server where the cursor rests although nothing was typed: the prompt for that place can be read before the
// first key, and later prompts may quote what was looked at.
import * as vscode from 'vscode';
import { Method, type CursorParams } from '../../server/protocol/messages';
import type { FlashlineClient } from '../connection/client';
import type { EditorGate } from './gate';

/** Whoever passes through files goes on sooner. */
const REST_MS = 400;

export class CursorRest implements vscode.Disposable {
  #timer: NodeJS.Timeout | undefined;
  /** Of the active document, to tell a cursor that was moved from one that moves with what is typed. */
  #version: number | undefined;
  readonly #listeners = [
    vscode.window.onDidChangeActiveTextEditor(() => {
      this.#moved();
    }),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
      if (textEditor !== vscode.window.activeTextEditor) return;
      if (textEditor.document.version === this.#version) this.#moved();
      else this.#typed(textEditor.document);
    }),
  ];

  constructor(
    private readonly gate: Pick<EditorGate, 'suggestion'>,
    private readonly client: Pick<FlashlineClient, 'notify'>,
    /** A suggestion is likely to be requested in a document. */
    private readonly onRest: (document: vscode.TextDocument, position: vscode.Position) => void,
  ) {
    this.#moved();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const listener of this.#listeners) listener.dispose();
  }

  #moved(): void {
    clearTimeout(this.#timer);
    this.#version = vscode.window.activeTextEditor?.document.version;
    this.#timer = setTimeout(() => {
      this.#tell(vscode.window.activeTextEditor);
    }, REST_MS);
  }

  /** The requests tell. */
  #typed({ version }: vscode.TextDocument): void {
    clearTimeout(this.#timer);
    this.#version = version;
  }

  #tell(editor: vscode.TextEditor | undefined): void {
    if (editor === undefined || editor.document.version !== this.#version) return;
    const { document, selection } = editor;
    const { line, character } = selection.active;
    if (this.gate.suggestion(document, selection.active, true) !== undefined) return;
    const params: CursorParams = { uri: document.uri.toString(), position: { line, character } };
    this.client.notify((client) => client.sendNotification(Method.cursor, params));
    this.onRest(document, selection.active);
  }
}
