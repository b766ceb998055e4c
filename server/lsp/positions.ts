// Converts positions in the messages of a client to offsets in its documents.
import type { Position, TextDocuments } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { CursorParams } from '../protocol/messages';
import { splitsCharacter } from '../rules/splitsCharacter';

/** Returns the offset of a position; inside a character, the start of the character. */
export function offsetOf(document: TextDocument, position: Position): number {
  return startOfCharacter(document.getText(), document.offsetAt(position));
}

/** Returns `offset`, or the start of the character if `offset` is inside one. */
export function startOfCharacter(text: string, offset: number): number {
  return splitsCharacter(text, offset) ? offset - 1 : offset;
}

/** Returns the place of a cursor; undefined if its document is not open. */
export function restingCursor(
  documents: TextDocuments<TextDocument>,
  { uri: requestedUri, position }: CursorParams,
) {
  const document = documents.get(requestedUri);
  if (document === undefined) return undefined;
  const { uri, languageId } = document;
  return { uri, languageId, offset: offsetOf(document, position) };
}
