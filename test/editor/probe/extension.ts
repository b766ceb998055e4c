// An extension for tests, next to Flashline: through a socket, a test outside of VS Code looks at what activate()
// returned and at the document, and runs commands.
import { createServer } from 'node:http';
import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { json } from 'node:stream/consumers';
import * as vscode from 'vscode';
import type { LocalRow } from '../../../server/protocol';
import type { FlashlineApi } from '../../../src/extension';
import { useNow } from '../../longday/useNow';
import type { ProbeRequest, ProbeState } from '../probe';

/** How long the extension host worked from one change of a file to the next, VS Code's own part included. */
const keystrokeTimes: number[] = [];
const problems = vscode.languages.createDiagnosticCollection('probe');

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const flashline = vscode.extensions.getExtension<FlashlineApi>('flashline.flashline');
  if (flashline === undefined) throw new Error('Flashline is not installed.');
  const api = await flashline.activate();
  await api.ready;
  const server = createServer((request, response) => {
    json(request)
      .then((body) => answer(api, body as ProbeRequest))
      .then(
        (value) => response.end(JSON.stringify(value)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
  });
  // Each window has a folder of its own.
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const socket = `${process.env['FLASHLINE_PROBE']}-${basename(folder)}`;
  // Left by a window that was killed.
  rmSync(socket, { force: true });
  server.listen(socket);
  let before = performance.eventLoopUtilization();
  context.subscriptions.push(
    { dispose: () => server.close() },
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document.uri.scheme !== 'file') return;
      const now = performance.eventLoopUtilization();
      keystrokeTimes.push(now.active - before.active);
      before = now;
    }),
  );
}

async function answer(api: FlashlineApi, request: ProbeRequest): Promise<ProbeState> {
  if (request.kind === 'command') await vscode.commands.executeCommand(request.command, ...request.values);
  if (request.kind === 'setting')
    await vscode.workspace
      .getConfiguration()
      .update(request.name, request.value, vscode.ConfigurationTarget.Global);
  if (request.kind === 'show') await show(request.file, request.offset);
  const editor = vscode.window.activeTextEditor;
  if (request.kind === 'problem' && editor !== undefined) {
    const { range } = editor.document.lineAt(editor.selection.active.line);
    problems.set(editor.document.uri, [new vscode.Diagnostic(range, request.message)]);
  }
  return {
    extensionPath: vscode.extensions.getExtension('flashline.flashline')?.extensionPath ?? '',
    hostProcessId: process.pid,
    connection: api.connection(),
    serverProcessId: api.serverProcessId(),
    serverStatus: api.serverStatus(),
    status: api.status(),
    // What is asked of its windows goes to models of their server, except in the suite about remote engines.
    rows: api.rows() as readonly LocalRow[],
    acceptance: api.acceptance(),
    use: useNow(),
    keystrokeTimes,
    file: editor?.document.fileName,
    text: editor?.document.getText(),
    cursor: editor?.document.offsetAt(editor.selection.active),
  };
}

async function show(file: string, offset: number): Promise<void> {
  const document = await vscode.workspace.openTextDocument(file);
  const editor = await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
  const cursor = document.positionAt(offset);
  editor.selection = new vscode.Selection(cursor, cursor);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenter);
  // VS Code sets up suggestions for an editor lazily; this does it now.
  await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
  await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
}
