// What a suggestion is asked with in tests: a decoder that answers as written down, and nothing known before.
import type { CompletionContext } from '../../server/completion/prompt/context';
import { RecentSuggestions } from '../../server/completion/session/recent';
import { settle, type SuggestRequest } from '../../server/completion/session/suggest';
import { contextAt } from '../support/cursor';
import { FakeDecoder, type Answer, type FakeOptions } from './fakeDecoder';

export const SETTINGS = { maxSuggestionTokens: 64, multiline: 'auto', debounceMs: 0 } as const;

export function tools(answers: readonly Answer[], options?: FakeOptions) {
  return { decoder: new FakeDecoder(answers, options), recent: new RecentSuggestions(), settle };
}

/** An automatic request at the ║ of a document. */
export function at(document: string | CompletionContext, more: Partial<SuggestRequest> = {}): SuggestRequest {
  const context = typeof document === 'string' ? contextAt(document) : document;
  return { context, trigger: 'automatic', settings: SETTINGS, signal: new AbortController().signal, ...more };
}
