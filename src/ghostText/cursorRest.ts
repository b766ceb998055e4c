// Reports to the server where the cursor rests without typing: the prompt for that place can be prefilled before the
// first key, and later prompts can quote the code around it.
import * as vscode from 'vscode';
import { Method } from '../../server/protocol/messages';
import type { FlashlineClient } from '../connection/client';
import type { EditorGate } from '../gate/gate';

/** Pause that distinguishes reading from passing through a file. */
const REST_MS = 400;

export class CursorRest implements vscode.Disposable {
  #timer: NodeJS.Timeout | undefined;
  /** Version of the active document; it changes when the cursor moves by typing. */
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
    private readonly gate: EditorGate,
    private readonly client: FlashlineClient,
    /** Called where a suggestion is likely to be requested next. */
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
      this.#report(vscode.window.activeTextEditor);
    }, REST_MS);
  }

  /** Reports nothing: typing requests suggestions, which carry the position. */
  #typed({ version }: vscode.TextDocument): void {
    clearTimeout(this.#timer);
    this.#version = version;
  }

  #report(editor: vscode.TextEditor | undefined): void {
    if (editor === undefined || editor.document.version !== this.#version) return;
    const { document, selection } = editor;
    const { line, character } = selection.active;
    if (this.gate.whyNoSuggestion(document, selection.active, true) !== undefined) return;
    this.client.notify(Method.cursor, { uri: document.uri.toString(), position: { line, character } });
    this.onRest(document, selection.active);
  }
}
