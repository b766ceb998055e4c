// The language of a document in VS Code.
import type { TextDocument } from 'vscode';
import { languageOf } from '../../server/rules/fileLanguage';

/** Returns the language id of a document, taken from its file name if no extension of VS Code knows the language. */
export function documentLanguage({ languageId, uri }: TextDocument): string {
  return languageOf(languageId, uri.path);
}
