// The quick fix "Fix with Flashline": edits the lines around a diagnostic, with its message as the instruction.
import * as vscode from 'vscode';
import { type EditorGate, SELECTOR } from '../../gate/gate';
import type { EditedLines } from './followedLines';
import type { SelectionEdit } from './selectionEdit';

/** Command that runs a fix; its argument is a FixRequest. */
const FIX_COMMAND = 'flashline._fix';

/** Maximum number of lines included above and below the problem, up to a blank line. */
const MAX_AROUND = 15;

/** Maximum number of problems that an instruction names. */
const MAX_PROBLEMS = 5;

/** Maximum number of characters of a message and of its line of code. */
const MAX_MESSAGE = 500;

interface FixRequest {
  readonly document: vscode.TextDocument;
  readonly diagnostics: readonly vscode.Diagnostic[];
}

/** Registers the quick fix and its command. */
export function fixAction(gate: EditorGate, edit: SelectionEdit): vscode.Disposable {
  const provider: vscode.CodeActionProvider = {
    provideCodeActions: (document, { start }, { diagnostics }) => {
      if (diagnostics.length === 0 || gate.whyNoSuggestion(document, start, true) !== undefined) return [];
      const action = new vscode.CodeAction('Fix with Flashline', vscode.CodeActionKind.QuickFix);
      action.diagnostics = [...diagnostics];
      const request: FixRequest = { document, diagnostics };
      action.command = { command: FIX_COMMAND, title: action.title, arguments: [request] };
      return [action];
    },
  };
  return vscode.Disposable.from(
    vscode.languages.registerCodeActionsProvider(SELECTOR, provider, {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
    }),
    vscode.commands.registerCommand(FIX_COMMAND, async ({ document, diagnostics }: FixRequest) => {
      const instruction = fixInstruction(document, diagnostics);
      await edit.apply(
        () => linesAround(document, diagnostics),
        () => Promise.resolve(instruction),
      );
    }),
  );
}

/** Returns the instruction for the model. */
function fixInstruction(document: vscode.TextDocument, diagnostics: readonly vscode.Diagnostic[]): string {
  const problems = diagnostics.slice(0, MAX_PROBLEMS).map(({ message, range: { start } }) => {
    const code = document
      .lineAt(Math.min(start.line, document.lineCount - 1))
      .text.trim()
      .slice(0, MAX_MESSAGE);
    return `In the line "${code}": ${message.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_MESSAGE)}`;
  });
  return `Fix ${problems.length === 1 ? 'this problem' : 'these problems'} and change nothing else.\n${problems.join('\n')}`;
}

/** Returns the paragraph of code that contains the diagnostics. */
function linesAround(document: vscode.TextDocument, diagnostics: readonly vscode.Diagnostic[]): EditedLines {
  const last = document.lineCount - 1;
  const starts = diagnostics.map(({ range }) => Math.min(range.start.line, last));
  const ends = diagnostics.map(({ range }) => Math.min(range.end.line, last));
  let from = Math.min(...starts);
  let to = Math.max(...ends) + 1;
  const isCode = (line: number): boolean =>
    line >= 0 && line <= last && !document.lineAt(line).isEmptyOrWhitespace;
  for (let i = 0; i < MAX_AROUND && isCode(from - 1); i += 1) from -= 1;
  for (let i = 0; i < MAX_AROUND && isCode(to); i += 1) to += 1;
  return { document, from, to };
}
