// The language of a document in VS Code.
import type { TextDocument } from 'vscode';
import { languageOf } from '../../server/rules/fileLanguage';

/** Returns the language id of a document, by its name where VS Code has no extension for its language. */
export function documentLanguage({ languageId, uri }: TextDocument): string {
  return languageOf(languageId, uri.path);
}
