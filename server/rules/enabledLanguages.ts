// In which languages suggestions are made, by language id; "*" stands for all that are not listed. If that is off,
// Flashline is off altogether, whatever is listed.

export type EnabledLanguages = Readonly<Record<string, boolean>>;

export const ALL_OFF: EnabledLanguages = { '*': false };

/** Of these the built-in target fills at least 45 % of the holes made for them (docs/internals/training.md). */
const BUILT_IN_LANGUAGES: ReadonlySet<string> = new Set([
  ...['javascript', 'javascriptreact', 'python', 'typescript', 'typescriptreact'],
  ...['c', 'cpp', 'csharp', 'css', 'go', 'html', 'java', 'json', 'jsonc', 'kotlin', 'php', 'rust'],
  ...['scss', 'svelte', 'swift', 'toml', 'vue', 'yaml'],
]);

/** Whether the built-in target knows a language well enough. */
export function knowsLanguage(languageId: string): boolean {
  return BUILT_IN_LANGUAGES.has(languageId);
}

/** A plain boolean stands for all; anything else that is not a language with true or false is left out. */
export function enabledLanguages(value: unknown): EnabledLanguages {
  const entries: [string, unknown][] = Object.entries(
    typeof value === 'boolean' ? { '*': value } : (value ?? {}),
  );
  return Object.fromEntries(
    entries.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
  );
}

/** Of the switch for `languageId` alone; by default the one for all. */
export function isEnabled(languages: EnabledLanguages = {}, languageId = '*'): boolean {
  // A language id may be the name of a property that every object has.
  return languages[Object.hasOwn(languages, languageId) ? languageId : '*'] ?? true;
}
