// Finds the language in which a document is written. Editors report plain text for languages that they do not know, as
// VS Code does for a .vue file, and have separate ids for some files of a language, such as Compose files in YAML.

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

/** Languages by the separate ids that VS Code has for some of their files. */
const WRITTEN_IN: ReadonlyMap<string, string> = new Map([
  ['dockercompose', 'yaml'],
  ...['chatmode', 'instructions', 'prompt'].map((id) => [id, 'markdown'] as const),
]);

/** Returns the id of the language that a document is written in: by the editor's id, or else by the path. */
export function languageOf(languageId: string, path: string): string {
  if (!UNKNOWN.includes(languageId)) return WRITTEN_IN.get(languageId) ?? languageId;
  return LANGUAGES.find(({ files }) => files.test(path))?.id ?? languageId;
}

/** Returns the display name of one of these languages; undefined for any other language. */
export function fileLanguageName(languageId: string): string | undefined {
  return LANGUAGES.find(({ id }) => id === languageId)?.name;
}
