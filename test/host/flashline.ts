// Opens the extension and files for the host suites: the object that activate() returns, and real files in real
// editors.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalRow } from '../../bench/localRow';
import type { FlashlineApi } from '../../src/extension';
import { isUserRequest } from '../../src/panel/rows';
import { until } from '../editor/waiting';

const ID = 'flashline.flashline';

/** Returns the activated extension, with its model loaded or asleep. */
export async function flashline(state: 'ready' | 'asleep' = 'ready'): Promise<FlashlineApi> {
  const extension = vscode.extensions.getExtension<FlashlineApi>(ID);
  assert.ok(extension, `${ID} is not installed`);
  const api = await extension.activate();
  await api.ready;
  await until(`the server is ${state}`, () => api.serverStatus()?.state === state);
  return api;
}

/** Writes a file into the open folder and shows it with the cursor in place of the first "‸". */
export async function show(name: string, marked: string): Promise<vscode.TextEditor> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  assert.ok(folder, 'no folder is open');
  const uri = vscode.Uri.joinPath(folder, name);
  await vscode.workspace.fs.writeFile(uri, Buffer.from(marked.replace('‸', '')));
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(document);
  const cursor = document.positionAt(Math.max(marked.indexOf('‸'), 0));
  editor.selection = new vscode.Selection(cursor, cursor);
  return editor;
}

/** Shows a bundled example under another name, so that no two tests share a document. */
export async function showExample(
  example: string,
  line: number,
  column: number,
  name: string,
): Promise<vscode.TextEditor> {
  const extension = vscode.extensions.getExtension(ID);
  const text = readFileSync(join(extension?.extensionPath ?? '', 'media/examples', example), 'utf8');
  const start = text.split('\n', line - 1).join('\n').length + (line > 1 ? 1 : 0) + column - 1;
  return await show(name, `${text.slice(0, start)}‸${text.slice(start)}`);
}

export async function trigger(): Promise<void> {
  await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
}

export async function type(text: string): Promise<void> {
  for (const character of text) await vscode.commands.executeCommand('type', { text: character });
}

/** Runs an editor command until it changes the document: ghost text appears a little after the answer to a request. */
export async function untilChanged(editor: vscode.TextEditor, command: string): Promise<string> {
  const { version } = editor.document;
  await until(`${command} changes the document`, async () => {
    await vscode.commands.executeCommand(command);
    return editor.document.version > version;
  });
  return editor.document.getText();
}

/** Returns all requests of the user for one file that reached the engine. */
export function rowsOf(api: FlashlineApi, file: string): LocalRow[] {
  const rows = api.rows().filter((row) => row.file === file && isUserRequest(row));
  return rows as LocalRow[];
}

export async function closeEditors(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}
