// Places and texts that take characters of two UTF-16 units as a whole: clients may cut them, prompts and items do not.
import type { Position } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';

/** Inside a character, its start. */
export function offsetOf(document: TextDocument, position: Position): number {
  return startOfCharacter(document.getText(), document.offsetAt(position));
}

/** `offset`, or the start of the character that it is inside of. */
export function startOfCharacter(text: string, offset: number): number {
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff ? offset - 1 : offset;
}

/** Of the same length: half a character becomes U+FFFD. */
export function wholeCharacters(text: string): string {
  return text.toWellFormed();
}
