// Asserts what a document becomes when its cleaned suggestion is accepted. The output of the model is in ⟦ ⟧.
import assert from 'node:assert/strict';
import { cleanSuggestion } from '../../../server/completion/suggestion/cleanSuggestion';
import { contextAt, markedDocument } from '../../support/cursor';

/** Asserts also that a part of the output, which still grows, gets no closers. */
export function assertAccepted(document: string, accepted: string, languageId: string): void {
  const { inserted, text, offset } = markedDocument(document);
  const context = contextAt(document, languageId);
  const cleaned = cleanSuggestion(inserted, context);
  assert.equal(text.slice(0, offset) + cleaned + text.slice(offset), accepted);
  assert.ok(inserted.startsWith(cleanSuggestion(inserted, context, true)), 'a part still grows');
}
