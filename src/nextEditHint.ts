// The hint of a next edit: once the user has stopped typing, shows where the last edit may be made again. One command
// goes there and then makes it, the other hides the hint, which does not come back for that edit.
import * as vscode from 'vscode';
import { Method, type NextEdit, type NextEditParams } from '../server/protocol';
import type { FlashlineClient } from './client';
import type { Configuration } from './configuration';
import type { EditorGate } from './gate';
import { t } from './translate';

interface Shown {
  readonly editor: vscode.TextEditor;
  readonly range: vscode.Range;
  readonly newText: string;
  /** Where the user was typing. */
  readonly from: number;
}

/** While it is set, the keys of the commands are taken. */
const VISIBLE = 'flashline.nextEditVisible';
/** Of quiet. A half typed word is no edit yet. */
const SETTLE_MS = 600;
const LONGEST_LABEL = 40;

export class NextEditHint implements vscode.Disposable {
  #shown: Shown | undefined;
  #dismissed: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #asking = new vscode.CancellationTokenSource();
  readonly #label = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  readonly #change = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('editor.wordHighlightBackground'),
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  readonly #listeners: vscode.Disposable;

  constructor(
    private readonly configuration: Pick<Configuration, 'settings'>,
    private readonly gate: Pick<EditorGate, 'suggestion'>,
    private readonly client: Pick<FlashlineClient, 'isRunning' | 'request'>,
    private readonly log: Pick<vscode.LogOutputChannel, 'error'>,
  ) {
    this.#listeners = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.contentChanges.length > 0) this.#changed(event);
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.hide();
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
        if (textEditor === this.#shown?.editor) this.#moved(selections);
      }),
    );
  }

  /** For tests. */
  get shown(): NextEdit | undefined {
    return this.#shown && { range: this.#shown.range, newText: this.#shown.newText };
  }

  /** Goes to the place or, from its line, makes the edit. */
  async follow(): Promise<void> {
    const { editor, range, newText } = this.#shown ?? {};
    if (editor === undefined || range === undefined || newText === undefined) return;
    const { selection } = editor;
    if (!selection.isEmpty || !selection.active.isEqual(range.start)) {
      editor.selection = new vscode.Selection(range.start, range.start);
      editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      return;
    }
    this.hide();
    const isMade = await editor.edit((edit) => {
      edit.replace(range, newText);
    });
    if (!isMade) return;
    const end = editor.document.positionAt(editor.document.offsetAt(range.start) + newText.length);
    editor.selection = new vscode.Selection(end, end);
    // Nobody is typing.
    clearTimeout(this.#timer);
    await this.#ask(editor);
  }

  /** Until there is another edit. */
  dismiss(): void {
    if (this.#shown) this.#dismissed = keyOf(this.#shown);
    this.hide();
  }

  hide(): void {
    clearTimeout(this.#timer);
    this.#asking.cancel();
    if (this.#shown === undefined) return;
    const { editor } = this.#shown;
    this.#shown = undefined;
    editor.setDecorations(this.#label, []);
    editor.setDecorations(this.#change, []);
    void vscode.commands.executeCommand('setContext', VISIBLE, false);
  }

  dispose(): void {
    this.hide();
    this.#asking.dispose();
    vscode.Disposable.from(this.#listeners, this.#label, this.#change).dispose();
  }

  #changed({ document, reason }: vscode.TextDocumentChangeEvent): void {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document !== document) return;
    this.hide();
    // What is taken back, or made again, is no pattern.
    if (!this.configuration.settings.nextEdit || reason !== undefined) return;
    this.#timer = setTimeout(() => void this.#ask(editor), SETTLE_MS);
  }

  async #ask(editor: vscode.TextEditor): Promise<void> {
    const { document, selection } = editor;
    const { version } = document;
    if (!this.client.isRunning || this.gate.suggestion(document, selection.active, false) !== undefined)
      return;
    this.#asking.dispose();
    const asking = (this.#asking = new vscode.CancellationTokenSource());
    const params: NextEditParams = { uri: document.uri.toString() };
    try {
      const next = await this.client.request<NextEdit | null>(Method.nextEdit, params, asking.token);
      const isCurrent = vscode.window.activeTextEditor === editor && document.version === version;
      if (next !== null && isCurrent && !asking.token.isCancellationRequested) this.#show(editor, next);
    } catch (error) {
      if (!asking.token.isCancellationRequested) this.log.error('Asking for the next edit failed.', error);
    }
  }

  #show(editor: vscode.TextEditor, { range: { start, end }, newText }: NextEdit): void {
    const range = new vscode.Range(start.line, start.character, end.line, end.character);
    const shown = { editor, range, newText, from: editor.selection.active.line };
    if (keyOf(shown) === this.#dismissed) return;
    this.#dismissed = undefined;
    this.#shown = shown;
    const lineEnd = editor.document.lineAt(shown.from).range.end;
    const old = editor.document.getText(range);
    const change = changeText(old, newText);
    // VS Code shows text of decorations as it is, without line breaks.
    const label = `    ⇥ ${t('Line {0}: {1}', range.start.line + 1, change)}`;
    editor.setDecorations(this.#label, [
      { range: new vscode.Range(lineEnd, lineEnd), renderOptions: { after: ghost(label) } },
    ]);
    editor.setDecorations(this.#change, [
      { range, renderOptions: { after: ghost(newText === '' ? ' ⌫' : ` ${shortened(newText)}`) } },
    ]);
    void vscode.commands.executeCommand('setContext', VISIBLE, true);
  }

  /** The keys are the editor's own again once the cursor is somewhere else. */
  #moved([selection]: readonly vscode.Selection[]): void {
    if (this.#shown === undefined || selection === undefined) return;
    const { from, range } = this.#shown;
    if (![from, range.start.line].includes(selection.active.line)) this.hide();
  }
}

function changeText(old: string, newText: string): string {
  if (old === '') return t('insert {0}', shortened(newText));
  if (newText === '') return t('delete {0}', shortened(old));
  return `${shortened(old)} → ${shortened(newText)}`;
}

function shortened(text: string): string {
  const plain = text.trim();
  return plain.length > LONGEST_LABEL ? `${plain.slice(0, LONGEST_LABEL)}…` : plain;
}

function ghost(contentText: string): vscode.ThemableDecorationAttachmentRenderOptions {
  return {
    contentText,
    color: new vscode.ThemeColor('editorGhostText.foreground'),
    fontStyle: 'italic',
  };
}

/** What the edit does, wherever. */
function keyOf({ editor, range, newText }: Shown): string {
  return JSON.stringify([editor.document.uri.toString(), editor.document.getText(range), newText]);
}
