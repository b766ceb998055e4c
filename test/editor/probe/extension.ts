// A test extension that runs beside Flashline. Through its socket, a test outside VS Code reads the document and the
// object that Flashline's activate() returned, and runs commands.
import { createServer } from 'node:http';
import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { json } from 'node:stream/consumers';
import * as vscode from 'vscode';
import type { LocalRow } from '../../../bench/localRow';
import type { FlashlineApi } from '../../../src/extension';
import type { Answer } from '../../../src/ghostText/inlineCompletionProvider';
import { useNow } from '../../nightly/longday/useNow';
import type { TypingState, ProbeRequest, ProbeState } from '../probe';

/** Last answer to VS Code. */
let lastAnswer: Answer | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const flashline = vscode.extensions.getExtension<FlashlineApi>('flashline.flashline');
  if (flashline === undefined) throw new Error('Flashline is not installed.');
  const api = await flashline.activate();
  await api.ready;
  const listener = api.onAnswer((answered) => (lastAnswer = answered));
  const server = createServer((request, response) => {
    json(request)
      .then((body) => answer(api, body as ProbeRequest))
      .then(
        (value) => response.end(JSON.stringify(value)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
  });
  // Each window has its own folder.
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const socket = `${process.env['FLASHLINE_PROBE']}-${basename(folder)}`;
  // A killed window leaves its socket.
  rmSync(socket, { force: true });
  server.listen(socket);
  context.subscriptions.push(
    listener,
    { dispose: () => server.close() },
    vscode.languages.registerCompletionItemProvider('python', WORDS, '.'),
  );
}

async function answer(api: FlashlineApi, request: ProbeRequest): Promise<ProbeState | TypingState> {
  if (request.kind === 'typingState') return typingState(api);
  if (request.kind === 'command') await vscode.commands.executeCommand(request.command, ...request.values);
  if (request.kind === 'setting')
    await vscode.workspace
      .getConfiguration()
      .update(request.name, request.value, vscode.ConfigurationTarget.Global);
  if (request.kind === 'show') await show(request.file, request.offset);
  const editor = vscode.window.activeTextEditor;
  return {
    extensionPath: vscode.extensions.getExtension('flashline.flashline')?.extensionPath ?? '',
    hostProcessId: process.pid,
    connection: api.connection(),
    serverProcessId: api.serverProcessId(),
    serverStatus: api.serverStatus(),
    status: api.status(),
    // All rows are local, except in the suite about remote engines.
    rows: api.rows() as readonly LocalRow[],
    use: useNow(),
    text: editor?.document.getText(),
    cursor: editor?.document.offsetAt(editor.selection.active),
  };
}

async function typingState(api: FlashlineApi): Promise<TypingState> {
  // VS Code replies to this command after handling earlier messages, including suggestions.
  await vscode.commands.executeCommand('setContext', 'probe.place', true);
  const { document, selection } = vscode.window.activeTextEditor ?? {};
  const isRequesting = api.isRequesting();
  const isHere =
    lastAnswer?.uri === document?.uri.toString() &&
    lastAnswer?.version === document?.version &&
    lastAnswer?.position.isEqual(selection?.active ?? lastAnswer.position) === true;
  return {
    text: document?.getText() ?? '',
    cursor: document && selection ? document.offsetAt(selection.active) : 0,
    isRequesting,
    isAnswered: !isRequesting && isHere,
    selected: isHere ? lastAnswer?.selected : undefined,
    texts: isHere ? (lastAnswer?.texts ?? []) : [],
  };
}

/** VS Code has no language service for Python; this one completes words of the document. */
const WORDS: vscode.CompletionItemProvider = {
  provideCompletionItems: (document, position) => {
    const here = document.getText(document.getWordRangeAtPosition(position));
    const words = new Set(document.getText().match(/[A-Za-z_]\w+/g));
    words.delete(here);
    return [...words].map((word) => new vscode.CompletionItem(word, vscode.CompletionItemKind.Text));
  },
};

async function show(file: string, offset: number): Promise<void> {
  const document = await vscode.workspace.openTextDocument(file);
  const editor = await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
  const cursor = document.positionAt(offset);
  editor.selection = new vscode.Selection(cursor, cursor);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenter);
  // VS Code prepares an editor for suggestions only at the first request, so this makes one.
  await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
  await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
}
