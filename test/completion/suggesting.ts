// Requests for suggestions in tests: a scripted decoder, and no recent suggestions.
import type { CompletionContext } from '../../server/completion/prompt/context';
import { RecentSuggestions } from '../../server/completion/session/recent';
import { settle } from '../../server/completion/session/settle';
import type { SuggestionRequest } from '../../server/completion/session/suggestionRequest';
import { contextAt } from '../support/cursor';
import { FakeDecoder, type Answer, type FakeOptions } from './fakeDecoder';

export const SETTINGS = { maxSuggestionTokens: 64, multiline: 'auto', debounceMs: 0 } as const;

export function tools(answers: readonly Answer[], options?: FakeOptions) {
  return { decoder: new FakeDecoder(answers, options), recent: new RecentSuggestions(), settle };
}

/** Returns an automatic request at the ║ of a document. */
export function at(
  document: string | CompletionContext,
  more: Partial<SuggestionRequest> = {},
): SuggestionRequest {
  const context = typeof document === 'string' ? contextAt(document) : document;
  return { context, trigger: 'automatic', settings: SETTINGS, signal: new AbortController().signal, ...more };
}
