// A language server for tests that replaces Flashline's: it passes messages about suggestions to the script of a test.
// The setting flashline.nextEditModel, which Flashline passes on unchanged, contains the script's address.
import { TextDocument } from 'vscode-languageserver-textdocument';
import { createConnection, ProposedFeatures, TextDocuments } from 'vscode-languageserver/node';
import { Method, type ClientSettings } from '../../../server/protocol/messages';
import { NextEditCommand, NextEditMethod } from '../../../server/protocol/nextEditMessages';

/** A message to the script. */
export interface ScriptedMessage {
  readonly method: string;
  readonly params: unknown;
  /** Text of the document, as this server has it. */
  readonly text: string | undefined;
}

const connection = createConnection(ProposedFeatures.all);
const documents = new TextDocuments(TextDocument);
let address = '';

connection.onInitialize(({ initializationOptions }) => {
  address = (initializationOptions as ClientSettings).nextEditModel;
  return {
    capabilities: {
      textDocumentSync: 2,
      inlineCompletionProvider: true,
      executeCommandProvider: { commands: Object.values(NextEditCommand) },
      experimental: { copilotInlineEdit: true },
    },
    serverProcessId: process.pid,
  };
});
connection.onInitialized(() => {
  const status = { state: 'ready', nextEdit: { state: 'ready' } };
  void connection.sendNotification(Method.status, status);
});
connection.onRequest((method, params) => script(method, params as object));
connection.onNotification((method, params) => void script(method, params as object));
documents.listen(connection);
connection.onExecuteCommand((params) => script('workspace/executeCommand', params));
connection.languages.inlineCompletion.on(async (params) => {
  return (await script('textDocument/inlineCompletion', params)) as never;
});
connection.listen();

/** Methods whose messages the script gets and answers. */
const ANSWERED: readonly string[] = [
  NextEditMethod.inlineEdit,
  NextEditMethod.didShow,
  'textDocument/inlineCompletion',
  'workspace/executeCommand',
];

/** Sends a message to the script and returns its answer; returns null for a method that is not in ANSWERED. */
async function script(method: string, params: object): Promise<unknown> {
  if (!ANSWERED.includes(method)) return null;
  const { textDocument } = params as { textDocument?: { uri: string } };
  const text = textDocument && documents.get(textDocument.uri)?.getText();
  const message: ScriptedMessage = { method, params, text };
  const response = await fetch(address, { method: 'POST', body: JSON.stringify(message) });
  return await response.json();
}
