// The command "Flashline: Try an Example" of the walkthrough's first step.
import * as vscode from 'vscode';

/** Mark of the cursor in an example. */
const CURSOR = '║';
const LANGUAGES = ['javascript', 'python', 'go', 'rust', 'java'];

/**
 * Opens a small untitled file with the cursor where a suggestion is expected, in the language of a visible file if
 * there is an example for it. `folder` has a file for each of the languages.
 */
export async function tryExample(folder: vscode.Uri): Promise<void> {
  const open = vscode.window.visibleTextEditors.map((editor) => editor.document.languageId);
  const language = open.find((id) => LANGUAGES.includes(id)) ?? 'javascript';
  const file = vscode.Uri.joinPath(folder, `${language}.txt`);
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  const [before = '', after = ''] = text.split(CURSOR);
  const document = await vscode.workspace.openTextDocument({ language, content: before + after });
  const editor = await vscode.window.showTextDocument(document);
  const cursor = document.positionAt(before.length);
  editor.selection = new vscode.Selection(cursor, cursor);
  await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
}
