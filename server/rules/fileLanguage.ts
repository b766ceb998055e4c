// Detects languages by file name, for editors without an extension for them: VS Code takes a .vue file for plain text.

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

/** Language ids that editors use for text without a language. */
const UNKNOWN: readonly string[] = ['', 'plaintext', 'text'];

/** Returns the language id of a document: the editor's, or one by the path if the editor knows none. */
export function languageOf(languageId: string, path: string): string {
  if (!UNKNOWN.includes(languageId)) return languageId;
  return LANGUAGES.find(({ files }) => files.test(path))?.id ?? languageId;
}

/** Returns the display name of one of these languages; undefined for any other language. */
export function fileLanguageName(languageId: string): string | undefined {
  return LANGUAGES.find(({ id }) => id === languageId)?.name;
}
