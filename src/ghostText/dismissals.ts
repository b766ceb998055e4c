// Dismissals: a suggestion hidden with Escape is not shown again at the same text unless it is requested. In memory
// only.
import * as vscode from 'vscode';
import { type Acceptance, followingText } from './acceptance';

interface Dismissed {
  readonly uri: string;
  /** Text before the cursor, and the rest of its line. */
  readonly around: string;
  /** First line that is not blank of each text that was offered. */
  readonly lines: readonly string[];
}

const MAX_DISMISSED = 64;

/** Characters before the cursor that identify a place. */
const PREFIX_LENGTH = 256;

export class Dismissals {
  /** Oldest first. */
  #dismissed: readonly Dismissed[] = [];

  constructor(private readonly acceptance: Acceptance) {}

  /** Hides the suggestion in the active editor, and records it if it is ours. */
  async dismiss(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor) {
      const { document, selection } = editor;
      const texts = this.acceptance.dismiss(document, selection.active);
      if (texts.length > 0) {
        const dismissed = { ...placeOf(document, selection.active), lines: texts.map(firstLine) };
        this.#dismissed = [...this.#dismissed, dismissed].slice(-MAX_DISMISSED);
      }
    }
    await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
  }

  /** Returns whether a suggestion that begins with the same line as `item` was dismissed at a position. */
  has(document: vscode.TextDocument, position: vscode.Position, item: vscode.InlineCompletionItem): boolean {
    if (this.#dismissed.length === 0) return false;
    const { uri, around } = placeOf(document, position);
    const line = firstLine(followingText(item, position));
    return this.#dismissed.some(
      (dismissed) => dismissed.uri === uri && dismissed.around === around && dismissed.lines.includes(line),
    );
  }
}

function placeOf(document: vscode.TextDocument, position: vscode.Position): Omit<Dismissed, 'lines'> {
  const from = document.positionAt(Math.max(0, document.offsetAt(position) - PREFIX_LENGTH));
  const before = document.getText(new vscode.Range(from, position));
  const after = document.lineAt(position.line).text.slice(position.character);
  return { uri: document.uri.toString(), around: `${before}\0${after}` };
}

/** Returns the first line that is not blank. */
function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? '';
}
