// In which languages suggestions are made, by language id; "*" stands for all that are not listed. If that is off,
// Flashline is off altogether, whatever is listed.

export type EnabledLanguages = Readonly<Record<string, boolean>>;

export const ALL_OFF: EnabledLanguages = { '*': false };

/** What the built-in target was trained on (media/model/README.md). */
const BUILT_IN_LANGUAGES = ['javascript', 'javascriptreact', 'python', 'typescript', 'typescriptreact'];

/** Whether that is a language that the built-in target knows. */
export function knowsLanguage(languageId: string): boolean {
  return BUILT_IN_LANGUAGES.includes(languageId);
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
