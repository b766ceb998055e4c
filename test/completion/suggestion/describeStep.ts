// Tests one step of cleaning, on documents with a cursor. The output of the model is in ⟦ ⟧.
import assert from 'node:assert/strict';
import type { Step } from '../../../server/completion/suggestion/cleanSuggestion';
import { contextAt, markedDocument } from '../../support/cursor';

/** `kept` is the part of the output that the step keeps, and is missing if that is all of it. */
export type Fixture = readonly [
  title: string,
  document: string,
  kept?: string | undefined,
  language?: string,
];

/** Defines a test for each fixture. */
export function describeStep(step: Step, fixtures: readonly Fixture[]): void {
  describe(`the step ${step.name}`, () => {
    for (const [title, document, kept, language] of fixtures)
      it(kept === undefined ? title : `removes ${title}`, () => {
        const context = contextAt(document, language);
        const { inserted } = markedDocument(document);
        const result = step(inserted, context);
        assert.equal(result, kept ?? inserted);
        assert.equal(step(result, context), result, 'a second application changes the text');
      });
  });
}
