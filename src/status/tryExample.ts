// The first step of the walkthrough: a small untitled file with the cursor where a suggestion is expected, in the
// language of an open file if there is an example in it.
import * as vscode from 'vscode';

/** Where the cursor goes. */
const CURSOR = '║';
const LANGUAGES = ['javascript', 'python', 'go', 'rust', 'java'];

/** `folder` has a file for each of the languages. */
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
