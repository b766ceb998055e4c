// The setting for languages with suggestions: a switch by language id, and "*" for all languages that are not listed.
// Callers treat suggestions as off in all languages, listed or not, while "*" is off.

export type EnabledLanguages = Readonly<Record<string, boolean>>;

export const ALL_OFF: EnabledLanguages = { '*': false };

/** Languages in which the built-in target fills at least 45 % of the test holes (docs/internals/methods.md). */
const BUILT_IN_LANGUAGES: ReadonlySet<string> = new Set([
  'javascript',
  'javascriptreact',
  'python',
  'typescript',
  'typescriptreact',
  'c',
  'cpp',
  'csharp',
  'css',
  'go',
  'html',
  'java',
  'json',
  'jsonc',
  'kotlin',
  'php',
  'rust',
  'scss',
  'svelte',
  'swift',
  'toml',
  'vue',
  'yaml',
]);

/** Returns whether the built-in target supports a language. */
export function knowsLanguage(languageId: string): boolean {
  return BUILT_IN_LANGUAGES.has(languageId);
}

/** Parses the setting. A boolean applies to all languages; entries other than true or false are dropped. */
export function enabledLanguages(value: unknown): EnabledLanguages {
  const entries: [string, unknown][] = Object.entries(
    typeof value === 'boolean' ? { '*': value } : (value ?? {}),
  );
  return Object.fromEntries(
    entries.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
  );
}

/** Returns the switch of a language; without one, the switch of "*"; without either, true. */
export function isEnabled(languages: EnabledLanguages = {}, languageId = '*'): boolean {
  // A language id can equal the name of a property that every object inherits.
  return languages[Object.hasOwn(languages, languageId) ? languageId : '*'] ?? true;
}
