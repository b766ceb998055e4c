// Dismissals: what Escape has hidden is not shown again where the text is the same, unless the person asks for it. In
// memory only.
import * as vscode from 'vscode';
import { followingText, type Acceptance } from './acceptance';

interface Dismissed {
  readonly uri: string;
  /** The text around the cursor. */
  readonly around: string;
  readonly lines: readonly string[];
}

const KEPT = 64;
/** Characters before the cursor that tell a place from others. */
const BEFORE = 256;

export class Dismissals {
  /** Oldest first. */
  #dismissed: readonly Dismissed[] = [];

  constructor(private readonly acceptance: Pick<Acceptance, 'dismiss'>) {}

  /** Hides what is shown in the active editor and takes note of it, if it is ours. */
  async dismiss(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor) {
      const { document, selection } = editor;
      const texts = this.acceptance.dismiss(document, selection.active);
      if (texts.length > 0) {
        const dismissed = { ...placeOf(document, selection.active), lines: texts.map(firstLine) };
        this.#dismissed = [...this.#dismissed, dismissed].slice(-KEPT);
      }
    }
    await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
  }

  /** Whether a suggestion that begins with the same line was dismissed there. */
  has(document: vscode.TextDocument, position: vscode.Position, item: vscode.InlineCompletionItem): boolean {
    if (this.#dismissed.length === 0) return false;
    const { uri, around } = placeOf(document, position);
    const line = firstLine(followingText(item, position));
    return this.#dismissed.some(
      (each) => each.uri === uri && each.around === around && each.lines.includes(line),
    );
  }
}

function placeOf(document: vscode.TextDocument, position: vscode.Position): Omit<Dismissed, 'lines'> {
  const from = document.positionAt(Math.max(0, document.offsetAt(position) - BEFORE));
  const before = document.getText(new vscode.Range(from, position));
  const after = document.lineAt(position.line).text.slice(position.character);
  return { uri: document.uri.toString(), around: `${before}\0${after}` };
}

/** That is not blank. */
function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? '';
}
