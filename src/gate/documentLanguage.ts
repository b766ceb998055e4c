// The language of a document in VS Code, and its name.
import * as vscode from 'vscode';
import type { EnabledLanguages } from '../../server/rules/enabledLanguages';
import { fileLanguageName, languageOf } from '../../server/rules/fileLanguage';

interface Manifest {
  readonly contributes?: { readonly languages?: unknown };
}

interface Language {
  readonly id?: unknown;
  readonly aliases?: readonly unknown[];
}

/** Returns the id of the language in which a document is written (see `languageOf`). */
export function documentLanguage({ languageId, uri }: vscode.TextDocument): string {
  return languageOf(languageId, uri.path);
}

/**
 * Returns the language id by which `enable` switches suggestions: VS Code's if the setting lists it, except for
 * `plaintext`, the id that VS Code also gives to files of languages that it does not know.
 */
export function switchedLanguage(document: vscode.TextDocument, enable: EnabledLanguages): string {
  const { languageId } = document;
  const isListed = languageId !== 'plaintext' && Object.hasOwn(enable, languageId);
  return isListed ? languageId : documentLanguage(document);
}

/** Returns the name of a language: that of an extension, such as "Go" for go, otherwise Flashline's own, or the id. */
export function languageName(id: string): string {
  // Built into VS Code; no extension contributes it.
  if (id === 'plaintext') return 'Plain Text';
  for (const { packageJSON } of vscode.extensions.all) {
    const { languages } = (packageJSON as Manifest).contributes ?? {};
    if (!Array.isArray(languages)) continue;
    const [name] = (languages as Language[]).find((language) => language.id === id)?.aliases ?? [];
    if (typeof name === 'string') return name;
  }
  return fileLanguageName(id) ?? id;
}
