// Text of decorations in an editor.
import type * as vscode from 'vscode';

const SPACE = '\u00a0';

/** Returns a text with its spaces and tabs as non-breaking spaces, since plain ones collapse in a decoration. */
export function decorationText(text: string, { options }: Pick<vscode.TextEditor, 'options'>): string {
  const tab = SPACE.repeat(typeof options.tabSize === 'number' ? options.tabSize : 4);
  return text.replaceAll('\t', tab).replaceAll(' ', SPACE);
}
