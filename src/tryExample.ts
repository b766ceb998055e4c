// The first step of the walkthrough: a small file with the cursor where a suggestion is due.
// An untitled document, so that nothing is left behind.
import * as vscode from 'vscode';

const EXAMPLE = `class Stack {
  constructor() {
    this.items = [];
  }

  push(item) {
    this.items.push(item);
  }

  pop() {
`;

export async function tryExample(): Promise<void> {
  const content = `${EXAMPLE}    \n  }\n}\n`;
  const document = await vscode.workspace.openTextDocument({ language: 'javascript', content });
  const editor = await vscode.window.showTextDocument(document);
  const end = document.positionAt(EXAMPLE.length + 4);
  editor.selection = new vscode.Selection(end, end);
  await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
}
