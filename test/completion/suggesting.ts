// Creates requests for suggestions, with a scripted decoder and no recent suggestions.
import type { CompletionContext } from '../../server/completion/prompt/context';
import { RecentSuggestions } from '../../server/completion/session/recent';
import { settle } from '../../server/completion/session/settle';
import type { SuggestionRequest } from '../../server/completion/session/suggestionRequest';
import { DEFAULT_SETTINGS } from '../../server/hosting/settings';
import { contextAt } from '../support/cursor';
import { FakeDecoder, type Answer, type FakeOptions } from './fakeDecoder';

/** Default settings without a pause, a threshold or alternatives. */
export const SETTINGS = {
  ...DEFAULT_SETTINGS,
  debounceMs: 0,
  hideBelow: 0,
  alternatives: { temperature: 0 },
};

/** Returns resources for `suggest`: a decoder that writes one answer for each decode, and no recent suggestions. */
export function resources(answers: readonly Answer[], options?: FakeOptions) {
  return { decoder: new FakeDecoder(answers, options), recent: new RecentSuggestions(), settle };
}

/** Returns a request at the ║ of a document: an automatic one, unless `more` says otherwise. */
export function at(
  document: string | CompletionContext,
  more: Partial<SuggestionRequest> = {},
): SuggestionRequest {
  const context = typeof document === 'string' ? contextAt(document) : document;
  return { context, trigger: 'automatic', settings: SETTINGS, signal: new AbortController().signal, ...more };
}
