// The names of languages as VS Code shows them, from what its extensions contribute: "Go" for the id go.
import * as vscode from 'vscode';
import { t } from '../translate';

interface Manifest {
  readonly contributes?: { readonly languages?: unknown };
}

interface Language {
  readonly id?: unknown;
  readonly aliases?: readonly unknown[];
}

/** The id itself for a language that nobody has named. */
export function languageName(id: string): string {
  // Part of VS Code itself.
  if (id === 'plaintext') return t('Plain Text');
  for (const { packageJSON } of vscode.extensions.all) {
    const { languages } = (packageJSON as Manifest).contributes ?? {};
    if (!Array.isArray(languages)) continue;
    const [name] = (languages as Language[]).find((each) => each.id === id)?.aliases ?? [];
    if (typeof name === 'string') return name;
  }
  return id;
}
