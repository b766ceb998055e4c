// Returns the text that is suggested at a cursor when a scripted model writes a given output.
import { suggest } from '../../../server/completion/session/suggest';
import { contextAt } from '../../support/cursor';
import { at, resources } from '../suggesting';

/** Languages in which rules for all languages are tested. */
export const LANGUAGES = (
  'typescript typescriptreact javascript javascriptreact python go rust java kotlin swift c cpp csharp php ruby ' +
  'shellscript lua css scss html vue'
).split(' ');

/** Returns the text that is shown at the ║ when the model writes `text`; '' if none is. */
export async function suggestedText(
  document: string,
  text: string,
  languageId = 'typescript',
  trigger: 'automatic' | 'explicit' = 'automatic',
): Promise<string> {
  const request = { ...at(contextAt(document, languageId)), trigger };
  const { texts } = await suggest(request, resources([[text]]));
  return texts[0] ?? '';
}

/** Returns the text that is shown on request. */
export const requestedText = (document: string, text: string, languageId?: string): Promise<string> =>
  suggestedText(document, text, languageId, 'explicit');

/** `shown` is the part of the model's `text` that is suggested. */
export type Case = readonly [document: string, text: string, shown: string, languageId?: string];
