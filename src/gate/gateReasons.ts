// Reasons why Flashline is silent, in words.
import { languageName } from './documentLanguage';

/** `manual` and `selection` prevent only automatic requests and are never shown; the server reports `battery`. */
export type GateReason = keyof ReturnType<typeof reasonTexts>;

/** Returns the sentence for each reason, for the status bar and the commands. `snoozedUntil` is in ms since 1970. */
export function reasonTexts(languageId: string, snoozedUntil?: number) {
  const language = languageName(languageId);
  return {
    disabled: 'Suggestions are turned off.',
    editor: 'Inline suggestions are turned off in VS Code (editor.inlineSuggest.enabled).',
    snoozed: snoozeText(snoozedUntil),
    untrusted: 'This workspace is not trusted.',
    input: 'Flashline does not work in this kind of editor.',
    readOnly: 'This file is read-only.',
    secret: 'This file may contain secrets, so Flashline does not read it.',
    excluded: 'This file is excluded by the flashline.exclude setting.',
    ignored: 'This file is excluded by a .flashlineignore file.',
    tooLarge: 'This file is longer than 2 million characters.',
    binary: 'This is not a text file.',
    minified: 'This file is minified or has very long lines.',
    language: `Suggestions are turned off for ${language}.`,
    unknownLanguage: `The built-in model does not support ${language}. Choose another model in the menu.`,
    manual: 'Suggestions appear only on demand.',
    multiCursor: 'There are several cursors.',
    selection: 'Text is selected.',
    battery: 'Suggestions appear only on demand while the machine runs on battery.',
  };
}

function snoozeText(until: number | undefined): string {
  if (until === undefined) return 'Flashline is snoozed.';
  if (until === Infinity) return 'Flashline is snoozed until this window is closed or reloaded.';
  return `Flashline is snoozed until ${new Date(until).toTimeString().slice(0, 5)}.`;
}
