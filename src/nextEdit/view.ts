// Shows a proposal in an editor: struck and inserted text, a hint at the end of the cursor's line, a mark in the
// gutter, and the whole change in a hover. Changes nothing in the document.
import * as vscode from 'vscode';
import { decorationText } from '../decorationText';
import { isFarAside, type Drawing, type InsertedText } from './drawing';

export interface Appearance {
  readonly drawing: Drawing;
  /** Whether the change itself is drawn; a large one only by its struck characters. */
  readonly isDrawn: boolean;
  /** Text at the end of the cursor's line. */
  readonly hint: string | undefined;
}

const SHOWN_KEY = 'flashline.nextEditShown';
/**
 * Colours of the mark in the gutter. VS Code shows it as a picture, which knows no colours of the theme; it takes the
 * light one in light themes of high contrast too, and the dark one in dark themes.
 */
const MARK_COLOURS = { light: '#0f4a85', dark: '#4daafc' } as const;
/** CSS that VS Code has no options for. */
const ROUND = 'none; border-radius: 3px; padding: 0 2px';
const PILL = 'none; border-radius: 4px; padding: 0 6px; font-size: 90%';

export class View implements vscode.Disposable {
  readonly #struck = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('diffEditor.removedTextBackground'),
    textDecoration: 'line-through',
    outline: '1px dashed',
    outlineColor: new vscode.ThemeColor('diffEditor.removedTextBorder'),
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  readonly #text = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  readonly #hint = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  readonly #mark = vscode.window.createTextEditorDecorationType({
    light: { gutterIconPath: markOf(MARK_COLOURS.light) },
    dark: { gutterIconPath: markOf(MARK_COLOURS.dark) },
    gutterIconSize: 'contain',
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.modifiedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  });
  #editor: vscode.TextEditor | undefined;

  get #types(): vscode.TextEditorDecorationType[] {
    return [this.#struck, this.#text, this.#hint, this.#mark];
  }

  dispose(): void {
    this.hide();
    for (const type of this.#types) type.dispose();
  }

  /** Shows a proposal. Call `hide` first if another editor shows one. */
  show(editor: vscode.TextEditor, { drawing, isDrawn, hint }: Appearance): void {
    this.#editor = editor;
    // First, so that Tab accepts as soon as the drawing is visible.
    setShown(true);
    const hover = hoverOf(drawing);
    const { start, end } = drawing.range;
    const marked = new vscode.Range(start.line, 0, end.line, editor.document.lineAt(end.line).text.length);
    editor.setDecorations(this.#mark, [{ range: marked, hoverMessage: hover }]);
    editor.setDecorations(this.#struck, isDrawn ? drawing.struck : []);
    editor.setDecorations(this.#text, isDrawn && drawing.isSmall ? textsOf(drawing, editor) : []);
    editor.setDecorations(this.#hint, hint === undefined ? [] : [hintAt(editor, hint, hover)]);
  }

  /** Removes the drawing, as VS Code shows the proposal as ghost text. */
  leaveToGhostText(): void {
    this.hide();
    setShown(true);
  }

  hide(): void {
    setShown(false);
    for (const type of this.#types) this.#editor?.setDecorations(type, []);
    this.#editor = undefined;
  }
}

/** Returns a picture of an arrow to the right. */
function markOf(colour: string): vscode.Uri {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><path d="M3 8h8M8 4.5 11.5 8 8 11.5" fill="none" stroke="${colour}" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`);
}

/** Sets the context key of the key bindings for Tab and Escape. */
function setShown(isShown: boolean): void {
  void vscode.commands.executeCommand('setContext', SHOWN_KEY, isShown);
}

/** Says where an edit is and how large: "Next edit: lines 42–47, +6 −2". */
export function summaryOf(drawing: Drawing, cursor: vscode.Position): string {
  const { addedCount, removedCount, isSmall } = drawing;
  const { start, end } = drawing.range;
  const first = start.line + 1;
  const last = end.line + 1;
  const isInLines = cursor.line >= start.line && cursor.line <= end.line;
  const isAside = isInLines && isFarAside(drawing, cursor);
  const column = isAside ? `, column ${start.character + 1}` : '';
  const lines = first === last || isAside ? `line ${first}${column}` : `lines ${first}–${last}`;
  const counts = [addedCount && `+${addedCount}`, removedCount && `−${removedCount}`]
    .filter(Boolean)
    .join(' ');
  const isOneLine = isSmall && addedCount <= 1 && removedCount <= 1;
  return `Next edit: ${isInLines && !isAside ? 'here' : lines}${isOneLine ? '' : `, ${counts}`}`;
}

function textsOf({ inserted, below }: Drawing, editor: vscode.TextEditor): vscode.DecorationOptions[] {
  return [
    ...inserted.map((text) => added(text, editor, '0')),
    ...below.map((text) => added(text, editor, '0 0 0 1ch')),
  ];
}

function added(
  { at, text }: InsertedText,
  editor: vscode.TextEditor,
  margin: string,
): vscode.DecorationOptions {
  return {
    range: new vscode.Range(at, at),
    renderOptions: {
      after: {
        contentText: decorationText(text, editor),
        backgroundColor: new vscode.ThemeColor('diffEditor.insertedTextBackground'),
        color: new vscode.ThemeColor('editor.foreground'),
        border: '1px dashed',
        borderColor: new vscode.ThemeColor('diffEditor.insertedTextBorder'),
        textDecoration: ROUND,
        margin,
      },
    },
  };
}

function hintAt(
  editor: vscode.TextEditor,
  hint: string,
  hoverMessage: vscode.MarkdownString,
): vscode.DecorationOptions {
  const { end } = editor.document.lineAt(editor.selection.active.line).range;
  return {
    range: new vscode.Range(end, end),
    hoverMessage,
    renderOptions: {
      after: {
        contentText: decorationText(hint, editor),
        color: new vscode.ThemeColor('editorSuggestWidget.foreground'),
        backgroundColor: new vscode.ThemeColor('editorSuggestWidget.background'),
        border: '1px solid',
        borderColor: new vscode.ThemeColor('editorSuggestWidget.border'),
        textDecoration: PILL,
        margin: '0 0 0 2ch',
      },
    },
  };
}

function hoverOf({ diff }: Drawing): vscode.MarkdownString {
  const hover = new vscode.MarkdownString('**Next edit**\n').appendCodeblock(diff, 'diff');
  hover.appendMarkdown(
    '[Accept](command:flashline.nextEdit.accept) · [Dismiss](command:flashline.nextEdit.dismiss)',
  );
  hover.isTrusted = { enabledCommands: ['flashline.nextEdit.accept', 'flashline.nextEdit.dismiss'] };
  return hover;
}
