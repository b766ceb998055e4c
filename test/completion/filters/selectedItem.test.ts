// Suggestions while the suggest widget has an item selected: they begin with it and take its range.
import assert from 'node:assert/strict';
import { completionContext } from '../../../server/completion/context';
import { selectedItem } from '../../../server/completion/filters/selectedItem';
import { markedDocument } from '../../support/cursor';

const CASES: readonly (readonly [
  title: string,
  document: string,
  item: string | undefined,
  start: number,
  expected: string,
])[] = [
  ['puts the item in front', 'con⟦.log(a)⟧\n', 'console', 0, 'console.log(a)'],
  ['does so after a dot', 'this.na⟦();⟧\n', 'name', 5, 'name();'],
  ['does so where nothing is typed', 'this.⟦ = 1;⟧\n', 'name', 5, 'name = 1;'],
  ['takes another case', 'CON⟦.log⟧\n', 'console', 0, 'console.log'],
  ['drops what does not begin as typed', 'xyz⟦.log⟧\n', 'console', 0, ''],
  ['has no suggestion to put it before', 'con⟦⟧\n', 'console', 0, ''],
  ['leaves all as it is without an item', 'con⟦sole⟧\n', undefined, 0, 'sole'],
];

describe('filter selectedItem', () => {
  for (const [title, document, item, start, expected] of CASES)
    it(title, () => {
      const { text, offset, inserted } = markedDocument(document);
      const snapshot = { uri: 'a', fileName: 'a.ts', languageId: 'typescript', version: 1, text };
      const context = completionContext(
        snapshot,
        offset,
        item === undefined ? undefined : { start, text: item },
      );
      assert.equal(selectedItem(inserted, context), expected);
    });
});
