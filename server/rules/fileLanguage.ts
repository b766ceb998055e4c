// Languages by file name, for editors that have no extension for them: VS Code calls a .vue file plain text.

interface FileLanguage {
  readonly id: string;
  readonly name: string;
  readonly files: RegExp;
}

const LANGUAGES: readonly FileLanguage[] = [
  { id: 'vue', name: 'Vue', files: /\.vue$/i },
  { id: 'svelte', name: 'Svelte', files: /\.svelte$/i },
  { id: 'toml', name: 'TOML', files: /\.toml$|(?:^|\/)Pipfile$/i },
  { id: 'kotlin', name: 'Kotlin', files: /\.kts?$/i },
  { id: 'swift', name: 'Swift', files: /\.swift$/i },
];

/** Ids of editors for text without a language. */
const UNKNOWN: readonly string[] = ['', 'plaintext', 'text'];

/** Language id of a document: the editor's, or one by the path where the editor knows none. */
export function languageOf(languageId: string, path: string): string {
  if (!UNKNOWN.includes(languageId)) return languageId;
  return LANGUAGES.find(({ files }) => files.test(path))?.id ?? languageId;
}

/** Name of a language that the editor itself cannot name. */
export function fileLanguageName(languageId: string): string | undefined {
  return LANGUAGES.find(({ id }) => id === languageId)?.name;
}
